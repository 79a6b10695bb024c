import { css } from 'lit';

export const focusRing = css`
  :focus-visible {
    outline: 1px solid var(--vscode-focusBorder);
    outline-offset: 2px;
  }
`;

/** Looks like the editor's own button. */
export const buttonStyles = css`
  button {
    font: inherit;
    color: var(--vscode-button-foreground);
    background: var(--vscode-button-background, transparent);
    border: 1px solid var(--vscode-button-border, var(--vscode-contrastBorder, transparent));
    border-radius: 4px;
    padding: 5px 12px;
    line-height: 18px;
    cursor: pointer;
    max-inline-size: 100%;
  }
  button:hover {
    background: var(--vscode-button-hoverBackground, var(--vscode-button-background, transparent));
  }
  button.plain {
    color: var(--vscode-textLink-foreground);
    background: transparent;
    border-color: transparent;
    padding: 2px 6px;
  }
  button.plain:hover {
    text-decoration: underline;
  }
`;
