import type { Browser, CDPSession } from 'playwright-core';

/**
 * A tab that really gets hidden when another comes before it: playwright tells every page of its own that it has the focus, and
 * such a page is never hidden.
 */
export interface OwnTab {
  evaluate<T>(expression: string): Promise<T>;
  hide(): Promise<void>;
  show(): Promise<void>;
}

interface Answer {
  readonly id?: number;
  readonly result?: {
    readonly result?: { readonly value?: unknown };
    readonly exceptionDetails?: { readonly text: string };
  };
}

/** `before` is run in the page before any of its scripts. */
export async function openOwnTab(browser: Browser, url: string, before: string): Promise<OwnTab> {
  const session = await browser.newBrowserCDPSession();
  const { targetId } = await session.send('Target.createTarget', { url: 'about:blank', newWindow: true });
  const send = await talkTo(session, targetId);
  await send('Page.enable', {});
  await send('Page.addScriptToEvaluateOnNewDocument', { source: before });
  await send('Page.navigate', { url });
  const other = await session.send('Target.createTarget', { url: 'about:blank', newWindow: false });
  const evaluate = async <T>(expression: string): Promise<T> => {
    const { result } = await send('Runtime.evaluate', { expression, returnByValue: true, awaitPromise: true });
    if (result?.exceptionDetails) throw new Error(`${result.exceptionDetails.text}: ${expression}`);
    return result?.result?.value as T;
  };
  // Asked again and again, because an answer that is waited for is lost with the page that was there before.
  const loaded = `document.readyState === 'complete' && location.href === ${JSON.stringify(url)}`;
  while (!(await evaluate<boolean>(loaded))) await new Promise((resolve) => setTimeout(resolve, 10));
  const bring = async (target: string, wanted: string): Promise<void> => {
    await session.send('Target.activateTarget', { targetId: target });
    await evaluate(`new Promise((resolve) => {
      const look = () => document.visibilityState === '${wanted}' && resolve();
      document.addEventListener('visibilitychange', look);
      look();
    })`);
  };
  const tab: OwnTab = {
    evaluate,
    hide: () => bring(other.targetId, 'hidden'),
    show: () => bring(targetId, 'visible'),
  };
  await tab.show();
  return tab;
}

/** The session of the browser is playwright's, so what goes to a tab of ours is wrapped into its messages. */
async function talkTo(
  session: CDPSession,
  targetId: string,
): Promise<(method: string, params: object) => Promise<Answer>> {
  const { sessionId } = await session.send('Target.attachToTarget', { targetId, flatten: false });
  const waiting = new Map<number, (answer: Answer) => void>();
  session.on('Target.receivedMessageFromTarget', (event) => {
    if (event.sessionId !== sessionId) return;
    const answer = JSON.parse(event.message) as Answer;
    waiting.get(answer.id ?? 0)?.(answer);
    waiting.delete(answer.id ?? 0);
  });
  let last = 0;
  return async (method, params) => {
    const id = (last += 1);
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    await session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method, params }) });
    return answered;
  };
}
