import { css } from 'lit';

/**
 * Motion is an extra on a picture that is complete without it: only where the system allows it and the card asks for it
 * (`lively`). Only transform and opacity, which the compositor moves alone; slow, with few degrees, and nothing twice in a
 * second. What is over (resting, done, asleep) moves a few times and then stands still, so that a quiet panel costs nothing.
 */
export const avatarMotion = css`
  .tempo-a {
    --tempo: 8.6s;
    --phase: -1.1s;
  }
  .tempo-b {
    --tempo: 10.9s;
    --phase: -7.3s;
  }
  .tempo-c {
    --tempo: 9.4s;
    --phase: -4.2s;
  }
  .tempo-d {
    --tempo: 12.2s;
    --phase: -2.6s;
  }
  .tempo-e {
    --tempo: 9.9s;
    --phase: -8.8s;
  }
  .tempo-f {
    --tempo: 11.5s;
    --phase: -5.7s;
  }
  .tempo-g {
    --tempo: 8.1s;
    --phase: -3.3s;
  }
  .eyes,
  .raised,
  .sign {
    transform-box: fill-box;
    transform-origin: 50% 50%;
  }
  .raised {
    transform-origin: 0 100%;
  }
  @media (prefers-reduced-motion: no-preference) {
    :host([lively]) svg {
      transform-origin: 50% 92%;
      animation: breathe 3.6s ease-in-out var(--phase) infinite;
    }
    :host([lively]) svg:is(.mood-resting, .mood-sleeping) {
      animation: breathe 5.2s ease-in-out 4;
    }
    :host([lively]) svg:is(.mood-arriving, .mood-leaving, .mood-hurt) {
      animation: settle 0.7s ease-out 1;
    }
    :host([lively]) svg.mood-celebrating {
      animation: hop 0.5s ease-in-out 2;
    }
    :host([lively]) .mood-celebrating .sign {
      animation: burst 1s ease-out 1;
    }
    :host([lively]) svg:not(.mood-arriving, .mood-leaving) .eyes.awake {
      animation: look var(--tempo) linear var(--phase) infinite;
    }
    :host([lively]) .raised {
      animation: wave 2.8s ease-in-out infinite;
    }
    :host([lively]) .mood-asking .sign {
      animation: bob 3.2s ease-in-out infinite;
    }
    :host([lively]) .cursor {
      animation: cursor 1.6s linear infinite;
    }
  }
  @keyframes breathe {
    50% {
      transform: scale(1.012, 0.982);
    }
  }
  /* A blink, a glance aside, and later a blink again. */
  @keyframes look {
    0%,
    30%,
    32%,
    64%,
    74%,
    95%,
    97%,
    100% {
      transform: none;
    }
    31%,
    96% {
      transform: scaleY(0.12);
    }
    65%,
    73% {
      transform: translateX(-1.8px);
    }
  }
  @keyframes wave {
    0%,
    100% {
      transform: rotate(-3deg);
    }
    50% {
      transform: rotate(4deg);
    }
  }
  @keyframes bob {
    50% {
      transform: translateY(-1.6px);
    }
  }
  @keyframes cursor {
    0%,
    45%,
    100% {
      opacity: 1;
    }
    55%,
    90% {
      opacity: 0.15;
    }
  }
  @keyframes hop {
    40% {
      transform: translateY(-6%);
    }
  }
  @keyframes burst {
    0% {
      transform: translateY(18px) scale(0.3);
      opacity: 0;
    }
    60% {
      transform: translateY(-2px) scale(1.06);
      opacity: 1;
    }
  }
  @keyframes settle {
    0% {
      transform: translateY(4%) scale(0.94);
      opacity: 0.4;
    }
  }
`;
