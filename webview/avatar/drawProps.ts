import { nothing, svg, type SVGTemplateResult } from 'lit';
import type { Mood } from '../../src/protocol/state.ts';

type Drawn = SVGTemplateResult | typeof nothing;

/** Behind the mascot. */
export function drawBackdrop(mood: Mood): Drawn {
  switch (mood) {
    case 'arriving':
      return svg`<path class="wood o" d="M22 90V20Q22 12 30 12H72Q80 12 80 20V90Z"></path>
        <path class="gloom" d="M29 90V24Q29 19 34 19H68Q73 19 73 24V90Z"></path>
        <path class="sky-line" d="M84 90H94M8 90H18"></path>`;
    case 'leaving':
      return svg`<path class="mark-line" d="M4 60H10M2 69H9M5 78H10"></path>`;
    default:
      return nothing;
  }
}

/** In front of the mascot, under its hands; `lens` is the place of the eye that looks through the magnifier. */
export function drawProp(mood: Mood, lens: readonly [x: number, y: number]): Drawn {
  switch (mood) {
    case 'reading':
      return svg`<g class="prop"><path class="cover o" d="M17 65Q34 60 48 67Q62 60 79 65V91Q62 86 48 92.500Q34 86 17 91Z"></path>
        <path class="paper" d="M22 62Q36 58 48 64.500Q60 58 74 62V86Q60 82 48 88Q36 82 22 86Z"></path>
        <path class="line thin" d="M48 65V88M28 68.500Q36 66 43 69M28 75Q36 72.500 43 75.500M53 69Q60 66 68 68.500M53 75.500Q60 72.500 68 75"></path></g>`;
    case 'writing':
      return svg`<path class="paper o" d="M53 88L59 66H90L85 88Z"></path><path class="line thin" d="M62.500 73H73M61 79H68"></path>
        <g class="prop" transform="translate(72 79) rotate(34)"><path class="pencil o" d="M-4.500 -9V-37H4.500V-9L0 0Z"></path>
        <path class="cream" d="M-3.200 -9.500H3.200L0 -2.500Z"></path><path class="blush-solid o" d="M-4.500 -37V-40Q-4.500 -43 0 -43Q4.500 -43 4.500 -40V-37Z"></path></g>`;
    case 'running':
      return svg`<g class="prop"><rect class="frame o" x="43" y="57" width="48" height="34" rx="5"></rect>
        <path class="screen" d="M45.500 65H88.500V86.500Q88.500 88.500 86.500 88.500H47.500Q45.500 88.500 45.500 86.500Z"></path>
        <path class="screen-line" d="M52.500 71L59 76.500L52.500 82"></path><path class="screen-line cursor" d="M64 82.500H75"></path></g>`;
    case 'searching':
      return svg`<g class="prop" transform="translate(${lens[0]} ${lens[1]})"><path class="pole-edge thick" d="M8.500 11L17 25"></path>
        <path class="pole thick" d="M8.500 11L17 25"></path><circle class="glass o" r="13.500"></circle>
        <path class="shine" d="M-8.500 -3.500Q-6.500 -7.500 -2 -9"></path></g>`;
    case 'delegating':
      return svg`<g class="prop"><path class="leaf o" d="M59 48.500H75V40L94 57L75 74V65.500H59Z"></path></g>`;
    case 'browsing':
      return svg`<g class="prop"><circle class="water o" cx="75" cy="60" r="16"></circle>
        <path class="line thin" d="M75 44C67 50 67 70 75 76C83 70 83 50 75 44ZM59.500 56H90.500M60.500 66H89.500"></path></g>`;
    case 'resting':
      return svg`<g class="prop"><path class="mark-line thin" d="M70 54Q66.500 50 70 46.500T70 39M79 54Q75.500 50 79 46.500T79 39"></path>
        <path class="pole-edge" d="M85 65.500Q93.500 65 92 73Q90.500 78.500 84 77.500"></path><path class="pole enamel" d="M85 65.500Q93.500 65 92 73Q90.500 78.500 84 77.500"></path><path class="cream o" d="M63 60H86V77Q86 86 78.500 86H70.500Q63 86 63 77Z"></path></g>`;
    case 'waiting':
      return svg`<g class="prop"><path class="pole-edge" d="M80 52V30"></path><path class="pole" d="M80 52V30"></path>
        <path class="warn o" d="M74.500 5H85.500L93 12.500V23.500L85.500 31H74.500L67 23.500V12.500Z"></path>
        <path class="bold-line" d="M80 11V19.500M80 25V25.100"></path></g>`;
    case 'leaving':
      return svg`<g class="prop"><path class="pole-edge" d="M71.500 70V66Q71.500 63 74.500 63H80.500Q83.500 63 83.500 66V70"></path>
        <path class="pole leather" d="M71.500 70V66Q71.500 63 74.500 63H80.500Q83.500 63 83.500 66V70"></path>
        <rect class="case o" x="62" y="69" width="31" height="21" rx="4.500"></rect><path class="line thin" d="M69.500 69V90M85.500 69V90"></path></g>`;
    default:
      return nothing;
  }
}

/** Over everything: thoughts, signs, confetti. */
export function drawSign(mood: Mood): Drawn {
  switch (mood) {
    case 'thinking':
      return svg`<g class="sign"><circle class="paper o" cx="67" cy="39" r="2.800"></circle><circle class="paper o" cx="72" cy="31.500" r="4"></circle>
        <path class="paper o" d="M67 24C60 24 59 15 66 14C66 6 77 4 80 9C87 6 95 12 91 18C95 23 90 28 84 26C80 30 71 29 67 24Z"></path>
        <g class="ink"><circle cx="71" cy="17" r="1.900"></circle><circle cx="77.500" cy="17" r="1.900"></circle><circle cx="84" cy="17" r="1.900"></circle></g></g>`;
    case 'asking':
      return svg`<g class="sign"><path class="ask o" d="M70 5H86Q94 5 94 13V23Q94 31 86 31H79L70 39L71.500 31H70Q62 31 62 23V13Q62 5 70 5Z"></path>
        <path class="bold-line" d="M73.500 14.500Q74 10.500 78 10.500Q82.500 10.500 82.500 14.500Q82.500 17 78.500 19.500M78.300 25.500V25.600"></path></g>`;
    case 'celebrating':
      return svg`<g class="sign"><path class="signal" d="M10 16L18 14L16 22Z"></path><path class="water" d="M74 6L80 10L73 13Z"></path>
        <rect class="pencil" x="26" y="4" width="6" height="6" rx="1.500" transform="rotate(24 29 7)"></rect>
        <circle class="case" cx="88" cy="20" r="3.200"></circle><circle class="leaf" cx="5" cy="32" r="3"></circle>
        <rect class="leaf" x="62" y="3" width="5" height="5" rx="1" transform="rotate(40 64 5)"></rect>
        <path class="blush-solid" d="M90 50L94 57L87 56Z"></path><path class="pencil" d="M3 54L9 52L7 59Z"></path></g>`;
    case 'hurt':
      return svg`<g class="sign"><path class="signal o" d="M75 5H88L83 16H92L73 39L77 23H69Z"></path></g>`;
    case 'sleeping':
      return svg`<g class="sign mark-line"><path d="M73 36H80L73 44H80"></path><path d="M82 18.500H91.500L82 29.500H91.500"></path></g>`;
    case 'arriving':
      return svg`<path class="mark-line" d="M8 36Q3 41 4 48M14 32Q17 30 20 31"></path>`;
    default:
      return nothing;
  }
}

/** Worn by the body itself, so that it leans and is squashed with it. */
export function drawPlaster(mood: Mood, top: number): Drawn {
  if (mood !== 'hurt') return nothing;
  return svg`<g transform="translate(60 ${top + 9}) rotate(28)"><rect class="skin o" x="-11" y="-4.500" width="22" height="9" rx="4.500"></rect>
    <rect class="cream" x="-3.500" y="-3.400" width="7" height="6.800" rx="1"></rect></g>`;
}
