import * as vscode from 'vscode';
import { agentText } from '../agentText.ts';

/** It has room for a path, or for what somebody said last. */
const TOOLTIP_LINE_MAX = 300;

/** Each a line of plain text. */
export function linesTooltip(...lines: readonly string[]): vscode.MarkdownString {
  const text = new vscode.MarkdownString();
  for (const [index, line] of lines.filter(Boolean).entries()) {
    if (index > 0) text.appendMarkdown('\n\n');
    text.appendText(agentText(line, TOOLTIP_LINE_MAX));
  }
  return text;
}
