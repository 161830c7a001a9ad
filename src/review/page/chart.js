// Labels found against answers, beside what random answers would have found.
import { html } from './dom.js';

const WIDTH = 640, HEIGHT = 260, LEFT = 46, RIGHT = 12, TOP = 30, BOTTOM = 36;

// A round number not below x, so that axes end at one.
function roundUp(x) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(x, 1)));
  return [1, 2, 2.5, 5, 10].map((m) => m * unit).find((v) => v >= x) || 10 * unit;
}

const ticks = (max) => [0, 0.25, 0.5, 0.75, 1].map((share) => share * max).filter((v) => Number.isInteger(v));

export function FoundChart({ points, randomRate }) {
  const last = points[points.length - 1];
  const maxX = roundUp(Math.max(last[0], 8)), maxY = roundUp(Math.max(last[1], 4));
  const x = (answers) => LEFT + (answers / maxX) * (WIDTH - LEFT - RIGHT);
  const y = (found) => HEIGHT - BOTTOM - (found / maxY) * (HEIGHT - TOP - BOTTOM);
  const path = points.map(([a, f], i) => `${i ? 'L' : 'M'}${x(a).toFixed(1)} ${y(f).toFixed(1)}`).join('');
  const randomY = Math.min(randomRate * maxX, maxY);
  return html`<svg class="chart" viewBox=${`0 0 ${WIDTH} ${HEIGHT}`} role="img"
    aria-label=${`${last[1]} labels found in ${last[0]} answers`}>
    ${ticks(maxY).map((v) => html`<g><line class="rule" x1=${LEFT} x2=${WIDTH - RIGHT} y1=${y(v)} y2=${y(v)} />
      <text class="tick" x=${LEFT - 8} y=${y(v) + 4} text-anchor="end">${v.toLocaleString('en')}</text></g>`)}
    ${ticks(maxX).map((v) => html`<text class="tick" x=${x(v)} y=${HEIGHT - BOTTOM + 18} text-anchor="middle">${v.toLocaleString('en')}</text>`)}
    <text class="tick" x=${WIDTH - RIGHT} y=${HEIGHT - 2} text-anchor="end">answers</text>
    <text class="tick" x="2" y="14">labels found</text>
    ${randomRate > 0 && html`<g><line class="random" x1=${x(0)} y1=${y(0)} x2=${x(randomY / randomRate)} y2=${y(randomY)} />
      <text class="tick" x=${x(randomY / randomRate) - 6} y=${y(randomY) - 6} text-anchor="end">at random</text></g>`}
    <path class="found" d=${path} />
    <circle class="found-end" cx=${x(last[0])} cy=${y(last[1])} r="4" />
  </svg>`;
}

// A share with its interval, as a bar from 0 to 1; empty while there is nothing to tell.
export function IntervalBar({ low, high, share }) {
  if (share === null) return html`<div class="interval"></div>`;
  const style = { left: `${100 * low}%`, width: `${Math.max(1, 100 * (high - low))}%` };
  return html`<div class="interval"><div class="range" style=${style}></div>
    <div class="point" style=${{ left: `${100 * share}%` }}></div></div>`;
}
