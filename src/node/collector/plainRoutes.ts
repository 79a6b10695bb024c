import { createHmac } from 'node:crypto';
import { CHALLENGE_HEADER, HEALTH_TEXT, PROOF_HEADER, proofText } from '../../protocol/discovery.ts';
import { type Asked, failing, type Reply, type Route, type RouteWorld } from './route.ts';

const CHALLENGE_MAX = 200;

/** Ours have some forty characters. */
const EVENT_ID_MAX = 100;

export const STREAM_PATH = '/ws';

export const plainRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/health',
    name: 'readHealth',
    summary: 'Whether a collector of ours listens here.',
    description: `To a request with the header \`${CHALLENGE_HEADER}\` it proves in \`${PROOF_HEADER}\` that it knows the home's key.`,
    answers: { 200: { words: 'It listens: the text `ok`.', shape: 'text' } },
    answer: health,
  },
  {
    method: 'GET',
    path: STREAM_PATH,
    name: 'followState',
    summary: 'The stream: a WebSocket of JSON frames.',
    description:
      'The first frame is `{"type":"snapshot","protocol","revision","record","state"}`, with the state of `/api/state`. Then come ' +
      '`{"type":"patch","revision",…}` with whole sessions and agents to put in place of the old ones and the ids of those ' +
      'that are gone; revisions have no gaps. `{"type":"session-event","record","event"}` tells what happens in a session, as ' +
      '`session.event` of `/api/events` does; not to windows, so the first come two seconds after the reader did, or once ' +
      'it says `{"type":"hello","protocol","role":"reader","app","version","record"?}`; with the last record that it was told of it ' +
      'gets what happened since, also under another collector. A reader that missed a revision sends ' +
      '`{"type":"resync","revision"}` and gets a snapshot. A reader that does not keep up is dropped.',
    answers: {
      101: { words: 'The stream begins.' },
      426: failing('Asked for without an upgrade to a WebSocket.'),
    },
    answer: () => ({
      status: 426,
      headers: { upgrade: 'websocket', connection: 'upgrade' },
      body: { error: 'this is a WebSocket: ask for an upgrade' },
    }),
  },
  {
    method: 'GET',
    path: '/api/events',
    name: 'followEvents',
    summary: 'The stream as server-sent events.',
    description:
      'First `snapshot` with `{revision, state}`, then `agent-appeared`, `agent-update` and `agent-departed` with the agent ' +
      'and its `revision`, and `session.event` with `{id, session_id, work_item_id?, event_type, summary, details, severity, ' +
      'created_at}`. ' +
      'Whoever comes again with `Last-Event-ID` gets what it missed, some of it perhaps twice, as long as that is known ' +
      'still; else what happened in the sessions since, also while another program was the collector (at most some 2,000 events), and then ' +
      'a snapshot. A comment each 15 s shows that the stream lives. A reader that does not keep up is dropped.',
    answers: { 200: { words: 'The stream begins.', shape: 'events' } },
    answer: events,
  },
];

function events({ events: streams }: RouteWorld, { headers }: Asked): Reply {
  const given = headers['last-event-id'];
  const begin = streams.join(typeof given === 'string' ? given.slice(0, EVENT_ID_MAX) : undefined);
  return begin ? { status: 200, stream: begin } : { status: 503, body: { error: 'too many readers: come again' } };
}

function health({ proofKey, port }: RouteWorld, { headers }: Asked): Reply {
  const challenge = headers[CHALLENGE_HEADER];
  if (typeof challenge !== 'string' || challenge.length > CHALLENGE_MAX) return { status: 200, text: HEALTH_TEXT };
  const proof = createHmac('sha256', proofKey()).update(proofText(challenge, port())).digest('hex');
  return { status: 200, text: HEALTH_TEXT, headers: { [PROOF_HEADER]: proof } };
}
