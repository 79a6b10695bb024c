import { expect, test } from 'vitest';
import { readSettings, settingText } from './settings.ts';

test('OPS-1 diagnostics tell of settings what was chosen, and no folder, name or channel', () => {
  const { settings } = readSettings({
    ...{ excludedProjects: ['/home/kim/secret'], 'memory.excludedProjects': [], 'logging.privateMarker': '[kim]' },
    ...{
      'postgres.caFile': '/home/kim/ca.pem',
      'postgres.user': 'kim',
      'relay.channels': { '/home/kim/shop': '12345' },
    },
    ...{ 'relay.target': 'discord', 'retention.days': 30 },
  });
  const told = Object.entries(settings).map(([name, value]) => `${name}: ${settingText(name, value)}`);
  expect(told.join('\n')).not.toMatch(/kim|12345/);
  expect(told).toEqual(
    expect.arrayContaining([
      ...['excludedProjects: 1 entries', 'memory.excludedProjects: 0 entries', 'relay.channels: 1 entries'],
      ...['logging.privateMarker: set', 'postgres.user: set', 'relay.target: discord', 'retention.days: 30'],
    ]),
  );
});
