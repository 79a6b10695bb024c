import { css } from 'lit';

/**
 * The page around the app (the page's security policy keeps the editor's own default styles out), and the few tones that all components share. They are set on the body, because its class tells
 * the kind of theme, and custom properties reach into every shadow root. High contrast is drawn with the theme's own
 * contrastBorder: `forced-colors` is not set there.
 */
export const pageStyles = css`
  html {
    scrollbar-color: var(--vscode-scrollbarSlider-background) transparent;
  }
  body {
    margin: 0;
    padding: 0;
    font-family: var(--vscode-font-family, system-ui, sans-serif);
    font-size: var(--vscode-font-size, 13px);
    font-weight: var(--vscode-font-weight, normal);
    color: var(--tone-text);
    overscroll-behavior-x: none;
    --tone-text: var(--vscode-sideBar-foreground, var(--vscode-foreground));
    --tone-soft: color-mix(in srgb, var(--tone-text) 78%, var(--vscode-sideBar-background, transparent));
    --tone-ground: var(--vscode-sideBar-background, var(--vscode-editor-background));
    --tone-surface: var(--vscode-editor-background, var(--tone-ground));
    --tone-raised: color-mix(in srgb, var(--tone-text) 8%, var(--tone-surface));
    --tone-edge: color-mix(in srgb, var(--tone-text) 10%, transparent);
    --tone-permission: var(--vscode-notificationsWarningIcon-foreground, var(--vscode-editorWarning-foreground));
    --tone-question: var(--vscode-charts-purple, var(--vscode-textLink-foreground));
    --tone-failed: var(--vscode-notificationsErrorIcon-foreground, var(--vscode-errorForeground));
    --tone-busy: var(--vscode-charts-blue, var(--vscode-progressBar-background));
    --tone-your-move: var(--vscode-charts-green, var(--vscode-textLink-foreground));
    --tone-quiet: var(--vscode-descriptionForeground);
    --mascot-mark: color-mix(in srgb, var(--tone-text) 85%, transparent);
  }
  body.vscode-high-contrast {
    --tone-soft: var(--tone-text);
    --tone-raised: var(--tone-surface);
    --tone-edge: var(--vscode-contrastBorder, var(--tone-text));
    --tone-quiet: var(--tone-text);
    --mascot-mark: var(--tone-text);
  }
`;
