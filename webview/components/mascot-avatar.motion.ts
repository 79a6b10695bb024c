import { css } from 'lit';

/**
 * Motion is an extra on a picture that is complete without it: only where the system allows it and the card asks for it
 * (`lively`). Only transform and opacity, slow, with few degrees. What is over (resting, done, asleep) moves a few times and
 * then stands still, so that a quiet panel costs nothing.
 */
export const avatarMotion = css`
  @media (prefers-reduced-motion: no-preference) {
    :host([lively]) svg {
      transform-origin: 50% 92%;
      animation: breathe 3.6s ease-in-out infinite;
    }
    :host([lively]) svg:is(.mood-resting, .mood-sleeping) {
      animation-duration: 5.2s;
      animation-iteration-count: 4;
    }
    :host([lively]) svg:is(.mood-arriving, .mood-leaving, .mood-hurt) {
      animation: settle 0.7s ease-out 1;
    }
    :host([lively]) svg.mood-celebrating {
      animation: hop 0.9s ease-in-out 3;
    }
    :host([lively]) svg.mood-waiting {
      animation: lean 2.8s ease-in-out infinite;
    }
  }
  @keyframes breathe {
    50% {
      transform: scale(1.012, 0.982);
    }
  }
  @keyframes lean {
    0%,
    100% {
      transform: rotate(-1.6deg);
    }
    50% {
      transform: rotate(1.6deg);
    }
  }
  @keyframes hop {
    40% {
      transform: translateY(-5%);
    }
  }
  @keyframes settle {
    0% {
      transform: translateY(4%) scale(0.94);
      opacity: 0.4;
    }
  }
`;
