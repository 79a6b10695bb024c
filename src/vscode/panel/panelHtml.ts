export interface PanelPage {
  /** From a cryptographic source, new for each page. */
  readonly nonce: string;
  readonly script: string;
  readonly language: string;
  readonly title: string;
}

/**
 * SEC-5: nothing may run or load but our one script. Style sheets are made by that script (adopted sheets need no
 * permission), so even `style-src` stays closed, and the page talks to the extension alone.
 */
export function panelHtml({ nonce, script, language, title }: PanelPage): string {
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; base-uri 'none'; form-action 'none'`;
  return `<!doctype html>
<html lang="${escaped(language)}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)}</title>
</head>
<body>
<mascot-app></mascot-app>
<script type="module" nonce="${nonce}" src="${escaped(script)}"></script>
</body>
</html>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}
