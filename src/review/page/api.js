// Requests to the server. Every failure is an Error whose `status` is 0 when no answer came.
async function request(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw Object.assign(new Error('the server does not answer'), { status: 0 });
  }
  if (!response.ok) {
    throw Object.assign(new Error((await response.text()).trim()), { status: response.status });
  }
  return response.json();
}

export function get(path, values = {}) {
  const query = new URLSearchParams(values).toString();
  return request(query ? `${path}?${query}` : path);
}

export function post(path, body) {
  return request(path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

export const imageUrl = (row, side) => `/image/${row}?side=${side}`;
