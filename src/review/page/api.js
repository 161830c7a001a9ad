// Requests to the server. Every failure is an Error whose `status` is 0 when no answer came.
import { currentKey } from './key.js';

async function request(path, options = {}) {
  let response;
  try {
    response = await fetch(path, { ...options, headers: { 'Spml-Key': currentKey(), ...options.headers } });
  } catch {
    throw Object.assign(new Error('the server does not answer'), { status: 0 });
  }
  if (!response.ok) {
    throw Object.assign(new Error((await response.text()).trim()), { status: response.status });
  }
  return response;
}

export async function get(path, values = {}) {
  const query = new URLSearchParams(values).toString();
  return (await request(query ? `${path}?${query}` : path)).json();
}

export async function post(path, body) {
  const response = await request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.json();
}

export async function getBlob(path, signal) {
  return (await request(path, { signal })).blob();
}

// Whether it is the server that is gone, or another one.
export const isAway = (error) => Boolean(error) && (error.status === 0 || error.status === 401);

// Has the browser save what an address gives.
export async function download(path, name) {
  const url = URL.createObjectURL(await getBlob(path));
  const link = Object.assign(document.createElement('a'), { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
