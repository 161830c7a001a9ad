// Images of rows, fetched with the key and shown as blobs. Those shown last are kept; one that nobody
// waits for any longer is given up.
import { getBlob } from './api.js';
import { useEffect, useState } from './dom.js';

const KEPT = 120;
const images = new Map(); // address -> {url, waiting, users, abort}; the oldest first

function ask(address) {
  const abort = new AbortController();
  const image = { url: '', users: 0, abort };
  image.waiting = getBlob(address, abort.signal).then((blob) => {
    image.url = URL.createObjectURL(blob);
    return image.url;
  });
  image.waiting.catch(() => images.get(address) === image && images.delete(address));
  images.set(address, image);
  return image;
}

function dropOldest() {
  for (const [address, image] of images) {
    if (images.size <= KEPT) return;
    if (image.users > 0 || !image.url) continue;
    images.delete(address);
    URL.revokeObjectURL(image.url);
  }
}

// The address of the image for <img>, '' while it is on its way, null when there is none.
export function useImage(row, side, wanted = true) {
  const address = `/image/${row}?side=${side}`;
  const [shown, setShown] = useState({ address: '', url: '' });
  useEffect(() => {
    if (!wanted) return undefined;
    const image = images.get(address) || ask(address);
    image.users += 1;
    let current = true;
    image.waiting.then(
      (url) => current && setShown({ address, url }),
      () => current && setShown({ address, url: null }),
    );
    return () => {
      current = false;
      image.users -= 1;
      if (image.users === 0 && !image.url) {
        images.delete(address);
        image.abort.abort();
      }
      dropOldest();
    };
  }, [address, wanted]);
  return shown.address === address ? shown.url : '';
}
