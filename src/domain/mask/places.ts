import type { Json, JsonObject } from '../../protocol/json.ts';
import { isFlagValue } from './flags.ts';
import { classifyName } from './names.ts';
import type { NameClass } from './names.ts';
import { holdsMask } from './span.ts';
import {
  isCommandKey,
  isContentKey,
  isPlainKey,
  isResultKey,
  namesCredentialFile,
  resultIsSecret,
} from './toolCalls.ts';

/** How the strings below a place are to be taken. `sealed`: the contents of a credential file. */
export type Regard = 'plain' | 'command' | 'result' | 'sealed' | 'sealed-error';

export interface Place {
  readonly regard: Regard;
  /** What the nearest key calls the value. */
  readonly nameClass: NameClass | undefined;
  readonly upper: boolean;
}

const upperName = /^[A-Z][A-Z0-9_]*$/;

function regardOfChild(
  object: JsonObject,
  regard: Regard,
  secretResult: boolean,
  sealing: boolean,
  key: string,
): Regard {
  if (regard === 'sealed') return isPlainKey(key) ? 'plain' : 'sealed';
  if (isResultKey(key)) return secretResult ? 'sealed' : 'result';
  if (key === 'error' && secretResult) return 'sealed-error';
  if (sealing && isContentKey(key)) return 'sealed';
  if (isCommandKey(key)) return 'command';
  return regard === 'result' ? 'result' : 'plain';
}

/** `{name: 'API_TOKEN', value: …}`: the variable's name is its neighbour's value. */
function nameClassOf(object: JsonObject, key: string): NameClass | undefined {
  // What a mask is called is no name that the payload gave.
  if (holdsMask(key)) return undefined;
  // The private parts of a JSON web key; a key beside its user.
  if (typeof object['kty'] === 'string' && /^(?:[dpqk]|d[pq]|qi)$/.test(key)) return 'token';
  if (key === 'key' && typeof object['username'] === 'string') return 'token';
  if (key !== 'value' && key !== 'Value') return classifyName(key);
  const name = object['name'] ?? object['key'] ?? object['Name'] ?? object['Key'];
  return typeof name === 'string' && !holdsMask(name) ? classifyName(name) : undefined;
}

export function placesIn(object: JsonObject, regard: Regard): (key: string) => Place {
  const secretResult = resultIsSecret(object);
  const sealing = regard !== 'sealed' && namesCredentialFile(object);
  return (key) => ({
    regard: regardOfChild(object, regard, secretResult, sealing, key),
    nameClass: nameClassOf(object, key),
    upper: upperName.test(key),
  });
}

const longFlag = /^--?[A-Za-z][\w-]{2,80}$/;

/** `["--password", "…"]`: an argument is named by the flag before it. */
export function placesInList(items: readonly Json[], place: Place): (key: string, index: number) => Place {
  return (_, index) => {
    const [flag, value] = [items[index - 1], items[index]];
    if (typeof flag !== 'string' || typeof value !== 'string' || !longFlag.test(flag)) return place;
    const nameClass = classifyName(flag);
    return nameClass !== undefined && isFlagValue(nameClass, value) ? { ...place, nameClass, upper: false } : place;
  };
}
