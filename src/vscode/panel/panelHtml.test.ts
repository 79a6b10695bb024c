import { expect, test } from 'vitest';
import { panelHtml } from './panelHtml.ts';

const page = panelHtml({ nonce: 'n0nce', script: 'https://host/panel.js?a=1&b=2', language: 'ko', title: 'A "B" <C>' });

test('SEC-5 the policy lets one script run and nothing else load', () => {
  const policy = /http-equiv="Content-Security-Policy" content="([^"]*)"/.exec(page)?.[1];
  expect(policy).toBe("default-src 'none'; script-src 'nonce-n0nce'; base-uri 'none'; form-action 'none'");
  expect([...page.matchAll(/<script[^>]*>/g)].map(([tag]) => tag)).toEqual([
    '<script type="module" nonce="n0nce" src="https://host/panel.js?a=1&amp;b=2">',
  ]);
  expect(page).not.toMatch(/\son\w+=|style=/);
});

test('SEC-5 what goes into the page is escaped', () => {
  expect(page).toContain('<title>A &quot;B&quot; &lt;C&gt;</title>');
});
