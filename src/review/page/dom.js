// Preact with htm: templates that the browser reads as they are.
import { h, render } from './preact.js';
import htm from './htm.js';

export const html = htm.bind(h);
export { render };
export { useEffect, useLayoutEffect, useMemo, useRef, useState } from './hooks.js';
