// What is shown is in the address, so that a reload, a bookmark and the back button keep it.
// `grid` is the class of the grid, which shows one; in the other view the filter is as it was.
const DEFAULTS = { view: 'one', class: '', grid: '', state: 'open', min: '0', max: '1', sort: 'score' };
const CHOICES = {
  view: ['one', 'grid', 'progress', 'sample'],
  state: ['open', 'yes', 'no', 'unsure', 'all'],
  sort: ['score', 'uncertainty', 'random'],
};

const isShare = (text) => text !== '' && Number(text) >= 0 && Number(text) <= 1;

export function readAddress() {
  const query = new URLSearchParams(location.search);
  const address = {};
  for (const [key, otherwise] of Object.entries(DEFAULTS)) {
    const value = query.get(key) ?? otherwise;
    const legal = CHOICES[key] ? CHOICES[key].includes(value) : true;
    address[key] = legal ? value : otherwise;
  }
  if (!isShare(address.min)) address.min = DEFAULTS.min;
  if (!isShare(address.max)) address.max = DEFAULTS.max;
  return address;
}

// Changing the view is a step that the back button takes back; changing a filter is not.
export function writeAddress(address, isStep) {
  const query = new URLSearchParams();
  for (const [key, otherwise] of Object.entries(DEFAULTS)) {
    if (address[key] !== otherwise) query.set(key, address[key]);
  }
  const text = query.toString();
  const url = text ? `/?${text}` : '/';
  if (url === location.pathname + location.search) return;
  if (isStep) history.pushState(null, '', url);
  else history.replaceState(null, '', url);
}

export const isFiltered = (address) =>
  ['class', 'state', 'min', 'max'].some((key) => address[key] !== DEFAULTS[key]);

export const withoutFilters = (address) => ({ ...DEFAULTS, view: address.view, sort: address.sort, grid: address.grid });

// The class that is shown, '' for all.
export const classOf = (address) => (address.view === 'grid' && address.grid ? address.grid : address.class);

// As the server is asked for it.
export function entryQuery(address, classes) {
  const query = { state: address.state, sort: address.sort, min: address.min, max: address.max };
  const label = classes.indexOf(classOf(address));
  if (label >= 0) query.label = label;
  return query;
}
