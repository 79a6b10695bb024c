import { type HookEnvelope, hookEnvelopeSchema } from '../protocol/hook.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { isProviderId, type ProviderId } from '../protocol/providers.ts';
import { providers } from './providers/registry.ts';

export type ReadHook =
  { readonly ok: true; readonly hook: HookEnvelope } | { readonly ok: false; readonly error: string };

/** The body of a writing route. `provider` goes before what the body's `_meta` says. */
export function readHook(body: unknown, provider?: ProviderId): ReadHook {
  const named = isJsonObject(body as JsonObject) ? withName(body as JsonObject, provider) : body;
  const parsed = hookEnvelopeSchema.safeParse(named);
  if (!parsed.success) return { ok: false, error: parsed.error.issues[0]?.message ?? 'not a hook' };
  return { ok: true, hook: provider ? withProvider(parsed.data, provider) : parsed.data };
}

/** Some agents name the event nowhere in the payload: the forwarder was told it, or the payload's shape tells it. */
function withName(payload: JsonObject, wanted: ProviderId | undefined): JsonObject {
  const isNamed = hookEnvelopeSchema.safeParse(payload).success;
  const meta: JsonObject = isJsonObject(payload._meta) ? payload._meta : {};
  const told = typeof meta['event'] === 'string' && meta['event'].trim() !== '' ? meta['event'] : undefined;
  const said = isProviderId(meta['provider']) ? meta['provider'] : undefined;
  const given = wanted ?? hostOf(payload, told === undefined ? undefined : said) ?? said;
  if (isNamed && given !== undefined && given === said) return payload;
  const guess = guessed(payload, given);
  const name = told ?? guess?.name;
  const provider = given ?? guess?.id;
  const named = isNamed || name === undefined ? payload : { ...payload, hook_event_name: name };
  return provider === undefined ? named : { ...named, _meta: { ...meta, provider } };
}

/**
 * PRV-1: the program that really ran the hook. Editors and other agents also run the hooks of Claude Code's settings, whose command
 * always names Claude Code. `installedFor`: the provider that the installed command names.
 */
function hostOf(payload: JsonObject, installedFor: ProviderId | undefined): string | undefined {
  return providers.find(({ claims }) => claims?.(payload, installedFor))?.id;
}

/** Which agent's payload this is by its shape; `given` where that is known. */
function guessed(payload: JsonObject, given: string | undefined) {
  for (const { id, hookName } of providers) {
    const name = given === undefined || id === given ? hookName?.(payload) : undefined;
    if (name !== undefined) return { id, name };
  }
  return undefined;
}

function withProvider(hook: HookEnvelope, provider: ProviderId): HookEnvelope {
  return { ...hook, meta: { ...hook.meta, provider } };
}
