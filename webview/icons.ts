import { svg, type SVGTemplateResult } from 'lit';

const bubble =
  'M3.5 2H12.5A2 2 0 0 1 14.5 4V9.5A2 2 0 0 1 12.5 11.5H8.5L5 14.3V11.5H3.5A2 2 0 0 1 1.5 9.5V4A2 2 0 0 1 3.5 2Z';
const octagon = 'M5.3 1.5H10.7L14.5 5.3V10.7L10.7 14.5H5.3L1.5 10.7V5.3Z';
const ring = 'M8 1.8A6.2 6.2 0 1 1 7.99 1.8Z';
const eye = 'M1.5 8Q4.5 3.5 8 3.5Q11.5 3.5 14.5 8Q11.5 12.5 8 12.5Q4.5 12.5 1.5 8ZM8 6.2A1.8 1.8 0 1 1 7.99 6.2Z';

/** Signs on a grid of 16, drawn as lines. Each has a form of its own: colour and size tell nothing. */
const paths = {
  page: 'M3.5 1.8H9.5L12.5 4.8V14.2H3.5ZM6 8H10M6 11H10',
  pencil: 'M3 13L3.6 10.2L10.8 3L13 5.2L5.8 12.4ZM9.4 4.4L11.6 6.6',
  terminal: 'M1.5 3H14.5V13H1.5ZM4 6L6.5 8L4 10M8 10.5H11',
  lens: 'M6.8 2.3A4.5 4.5 0 1 1 6.79 2.3ZM10.2 10.2L14 14',
  globe: `${ring}M2 8H14M8 1.8Q4.2 8 8 14.2Q11.8 8 8 1.8`,
  flag: 'M4 14.5V2H12.5L10.5 5L12.5 8H4',
  gear: 'M8 5.5A2.5 2.5 0 1 1 7.99 5.5ZM8 1.8V3.5M8 12.5V14.2M1.8 8H3.5M12.5 8H14.2M3.6 3.6L4.8 4.8M11.2 11.2L12.4 12.4M3.6 12.4L4.8 11.2M11.2 4.8L12.4 3.6',
  failed: `${ring}M5.8 5.8L10.2 10.2M10.2 5.8L5.8 10.2`,
  bubble,
  lines: `${bubble}M4.5 5.5H11.5M4.5 8H9`,
  asked: `${bubble}M6.3 5.1Q6.5 3.9 8 3.9Q9.6 3.9 9.6 5.1Q9.6 6 8 6.9M8 9.1V9.2`,
  answered: `${bubble}M5.3 6.8L7.2 8.7L10.8 5`,
  returned: 'M6 4.5L2 8.5L6 12.5M2.5 8.5H10.5A3.5 3.5 0 0 0 14 5V3',
  alarm: 'M8 1.8L14.8 13.6H1.2ZM8 6V9.4M8 11.5V11.6',
  halt: `${octagon}M8 4.5V8.5M8 11.2V11.3`,
  pause: `${octagon}M6.5 6V10M9.5 6V10`,
  plus: `${ring}M8 5V11M5 8H11`,
  check: `${ring}M5.2 8.2L7.2 10.2L10.9 6`,
  box: 'M2.5 2.5H13.5V13.5H2.5ZM5 8.2L7.2 10.4L11 5.8',
  letter: 'M1.8 3.5H14.2V12.5H1.8ZM1.8 4L8 9L14.2 4',
  play: 'M4.5 2.5L13 8L4.5 13.5Z',
  stop: 'M3.5 3.5H12.5V12.5H3.5Z',
  tag: 'M2 8.3L8.3 2H14V7.7L7.7 14ZM10.9 4.2A.9 .9 0 1 1 10.89 4.2Z',
  pin: 'M5.5 1.8H10.5L9.8 6.3L12.3 9.2H3.7L6.2 6.3ZM8 9.2V14.5',
  eye,
  eyeClosed: `${eye}M2.5 13.5L13.5 2.5`,
  copy: 'M5.5 5.5H13.5V13.5H5.5ZM10.5 5.5V2.5H2.5V10.5H5.5',
  why: `${ring}M6.3 6.3Q6.4 4.9 8 4.9Q9.7 4.9 9.7 6.3Q9.7 7.2 8 8.1M8 10.9V11`,
  panel: 'M1.5 3H14.5V13H1.5ZM10 3V13',
  robot:
    'M4.5 5.5H11.5V12.5H4.5ZM7 8H9V10H7ZM6.5 5.5V3M9.5 5.5V3M6.5 15V12.5M9.5 15V12.5M4.5 7.5H2M4.5 10.5H2M14 7.5H11.5M14 10.5H11.5',
  cross: 'M4.5 4.5L11.5 11.5M11.5 4.5L4.5 11.5',
  moon: 'M13.5 9.8A6 6 0 1 1 6.5 2.3A5 5 0 0 0 13.5 9.8Z',
  dash: 'M3.5 8H12.5',
  turning: 'M8 1.8A6.2 6.2 0 1 1 1.8 8M8 7.3A.7 .7 0 1 1 7.99 7.3Z',
} as const;
export type IconName = keyof typeof paths;

/** Nothing to a screen reader: the words stand beside it. */
export function icon(name: IconName, extra = ''): SVGTemplateResult {
  return svg`<svg class="icon ${extra}" viewBox="0 0 16 16" aria-hidden="true" data-icon=${name}><path d=${paths[name]}></path></svg>`;
}
