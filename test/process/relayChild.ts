/**
 * An owner with a relay, that stops where it was told to and is killed there; or goes on replying until it is killed. Says in
 * lines what is durable, and where it stands.
 */
import { createInterface } from 'node:readline';
import { began, openRelayOwner, type RelayOwnerOptions, replying, until } from './relayOwner.testkit.ts';
import { tellParent } from './tellParent.testkit.ts';

/** Where the second reply stops for good. `out`: nowhere; its answer never comes. */
export type Moment = 'stored' | 'queued' | 'trying' | 'out' | 'answered' | 'receipt' | 'settled';

export type RelayChildOptions = RelayOwnerOptions & { readonly moment?: Moment; readonly from?: number };

const options = JSON.parse(process.argv[3] ?? '') as RelayChildOptions;
const { moment, from = 1 } = options;
const say = (line: string) => tellParent(`${line}\n`);

let reached = false;
function stopAt(here: Moment): Promise<void> | undefined {
  if (moment !== here) return undefined;
  reached = true;
  return new Promise(() => undefined);
}

const isOfB = (value: unknown) => JSON.stringify(value).includes('Reply B');
let keyOfB = '';

/** As the disk takes them: one after the other, and none past one that never ends. */
let puts: Promise<void> = Promise.resolve();

const owner = await openRelayOwner(options, {
  put(put, save, remove) {
    const kept = save.find(({ key, value }) => key.startsWith('m/') && isOfB(value));
    if (kept) keyOfB = kept.key;
    const isTrying = kept !== undefined && (kept.value as { state: string }).state === 'trying';
    const isSettling = keyOfB !== '' && remove?.includes(keyOfB) === true;
    puts = puts.then(async () => {
      if (isTrying) await stopAt('queued');
      if (isSettling) await stopAt('receipt');
      await put(save, remove);
      if (isSettling) await stopAt('settled');
    });
    return puts;
  },
  async send(send, request, abandon) {
    const isB = request.body !== undefined && request.body.includes('Reply B');
    if (isB) await stopAt('trying');
    const heard = await send(request, abandon);
    if (isB) await stopAt('answered');
    return heard;
  },
});

await until(owner.isOn);

async function reply(text: string): Promise<void> {
  const event = replying(text);
  await owner.keep([event]);
  owner.tell([event]);
}

async function stopInTheMiddle(): Promise<void> {
  const event = began();
  await owner.keep([event]);
  owner.tell([event]);
  await reply('Reply A');
  await until(() => owner.receipts().some(({ id }) => id === 'Reply A') && owner.waiting().length === 0);
  say('A');
  await new Promise((resolve) => createInterface({ input: process.stdin }).once('line', resolve));
  if (moment === 'stored') {
    await owner.keep([replying('Reply B'), replying('Reply C')]);
  } else {
    await reply('Reply B');
    await until(() => reached || moment === 'out');
    await reply('Reply C');
    const isTaken = moment === 'trying' || moment === 'out' || moment === 'answered';
    await until(() => !isTaken || owner.waiting().includes('Reply C'));
  }
  say('stopped');
}

async function replyOn(): Promise<void> {
  if (from === 1) {
    const event = began();
    await owner.keep([event]);
    owner.tell([event]);
  }
  for (let number = from; ; number++) {
    const event = replying(`Reply ${number}`);
    await owner.keep([event]);
    say(`+${number}`);
    owner.tell([event]);
    await until(() => owner.waiting().length < 20);
  }
}

await (moment === undefined ? replyOn() : stopInTheMiddle());
setInterval(() => undefined, 60_000);
