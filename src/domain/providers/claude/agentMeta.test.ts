import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAgentMeta } from './agentMeta.ts';
import { recordedFile } from './transcripts.testkit.ts';

const task = 'Fake sub job';

test.each([
  ['subagent-Explore.meta.json', { type: 'Explore', task, toolUseId: 'toolu_fake0002q5' }],
  ['subagent-general-purpose.meta.json', { type: 'general-purpose', task, toolUseId: 'toolu_fake0001q5' }],
  ['nested-depth1.meta.json', { type: 'general-purpose', task, toolUseId: 'toolu_fake0001yo' }],
  ['nested-depth2.meta.json', { type: 'general-purpose', task, toolUseId: 'toolu_fake0004yo', parentId: 'adbeaac34922cc35b' }],
])('NRM-11 %s tells type, task, call and starter', (file, meta) => {
  expect(readAgentMeta(recordedFile(file))).toEqual(meta);
}); // prettier-ignore

test.each([
  [
    { agentType: 'Explore', description: 'Look' },
    { type: 'Explore', task: 'Look' },
  ],
  [
    { agentType: 'mate', name: 'mate', teamName: 'crew' },
    { type: 'mate', name: 'mate', team: 'crew' },
  ],
  [{ agentType: 7, description: ['x'], name: '' }, {}],
  [{ description: ` two\n lines ${'x'.repeat(900)}` }, { task: `two lines ${'x'.repeat(289)}…` }],
])('NRM-11 %j', (meta, read) => {
  expect(readAgentMeta(JSON.stringify(meta))).toEqual(read);
});

test.each(['', '{', 'null', '[]', '"x"', JSON.stringify({ agentType: 'x'.repeat(70_000) })])(
  'NRM-11 %.20s describes nobody',
  (content) => {
    expect(readAgentMeta(content)).toBeUndefined();
  },
);

test('NRM-11 no content makes it throw', () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (content) => void readAgentMeta(content)));
});
