import { isJsonObject } from '../../protocol/json.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { STRING_MAX_BYTES } from '../../protocol/limits.ts';
import { hasLostEntries, wasCut } from './cuts.ts';
import { isCredentialFile, isCredentialGlob } from './files.ts';
import { namesCredentialFileIn, printsSecrets } from './shell.ts';

const pathKeys = names(
  'file_path filePath path paths notebook_path notebookPath filename fileName file files uri target_file targetFile relative_path ' +
    'relativePath absolute_path absolutePath relative_workspace_path source destination',
);
const globKeys = names('glob include');
const commandKey =
  /(?:^|_)(?:commands?|cmds?|scripts?|command_?line|shell|bash|exec|argv|run|code|input|rulecontent)$/i;

/** Where tools and their results hold a file's contents. */
const contentKeys = names(
  'content contents old_string new_string oldString newString edits structuredPatch originalFile original_file new_source old_source ' +
    'newSource oldSource file_text fileText old_str new_str oldStr newStr insert_text insertText text lines diff patch gitDiff data ' +
    'base64 replacement code_edit before after originalContent original_content newContent new_content modified cells source_code ' +
    'replace_string value body chunk snippet stdout stderr output',
);

/** What stays of a sealed tool result: which file, how big, of which sort. */
const plainKeys = names(
  'type resultType result_type file_path filePath path paths notebook_path filename filenames mode uri status media_type mediaType mimeType encoding language ' +
    'cell_type cell_id id role tool_use_id persistedOutputPath backgroundTaskId',
);

/** Fields with text that a tool writes: a file's name in them does not mean that the tool reads that file. */
const writtenKeys = names(
  'content contents old_string new_string oldString newString new_source old_source newSource oldSource file_text fileText old_str ' +
    'new_str oldStr newStr insert_text insertText replacement code_edit replace_string',
);

/** The agent programs' names for a call's input and for its result. */
const inputKeys = [
  'tool_input',
  'toolInput',
  'toolArgs',
  'tool_args',
  'arguments',
  'args',
  'parameters',
  'params',
  'input',
];
/** Where the command stands beside its result. */
const commandKeys = ['command', 'command_line', 'commandLine', 'cmd'];
const resultKeys = names(
  'tool_response toolResponse result results tool_result toolResult tool_output toolOutput output response stdout stderr',
);

export function isResultKey(key: string): boolean {
  return resultKeys.has(key);
}

function names(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

export function isContentKey(key: string): boolean {
  return contentKeys.has(key);
}

export function isPlainKey(key: string): boolean {
  return plainKeys.has(key);
}

export function isCommandKey(key: string): boolean {
  return commandKey.test(key);
}

/** How much of one input is looked at. Where more is given the answer is yes, as if it told of credentials. */
interface Room {
  entries: number;
  characters: number;
}

/** Milliseconds' worth; no tool is given so many files, and a longer text was cut. */
function fullRoom(): Room {
  return { entries: 4096, characters: STRING_MAX_BYTES };
}

function fits(room: Room, entry: Json): boolean {
  room.entries -= 1;
  if (typeof entry === 'string') room.characters -= entry.length;
  return room.entries >= 0 && room.characters >= 0;
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function entriesOf(value: Json | undefined): readonly Json[] {
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

type Tells<Kind> = (entry: Kind) => boolean;

/** Does a text, or one of a list, tell of credentials? Where one was cut, what is gone may have. */
function someText(value: Json | undefined, room: Room, tells: Tells<string>): boolean {
  return entriesOf(value).some(
    (entry) => !fits(room, entry) || (typeof entry === 'string' && (wasCut(entry) || tells(entry))),
  );
}

function namesCredentials(object: JsonObject, room: Room): boolean {
  if (hasLostEntries(object)) return true;
  for (const key of pathKeys) if (someText(own(object, key), room, isPathOfCredentials)) return true;
  for (const key of globKeys) if (someText(own(object, key), room, isCredentialGlob)) return true;
  return false;
}

/** Does the object speak of a credential file, so that the contents beside the path are one's? */
export function namesCredentialFile(object: JsonObject): boolean {
  return namesCredentials(object, fullRoom());
}

function isPathOfCredentials(text: string): boolean {
  return isCredentialFile(text.startsWith('file://') ? text.slice(7) : text);
}

/** Joins a command given as a list into one line for a shell. */
function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", ' ')}'`;
}

function isCommandOfCredentials(list: readonly Json[]): boolean {
  const words = list.filter((word) => typeof word === 'string');
  return words.length > 1 && printsSecrets(words.map(quoted).join(' '));
}

function parsed(text: string): Json | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

function textTells(key: string, text: string): boolean {
  if (wasCut(text)) return true;
  if (isCommandKey(key)) return printsSecrets(text);
  if (pathKeys.has(key)) return isPathOfCredentials(text) || isCredentialGlob(text);
  return isPathOfCredentials(text) ? /[./_]/.test(text) : namesCredentialFileIn(text);
}

/** May the result for this input contain a credential file? Yes if the input names one anywhere. */
function isSecretInput(input: Json): boolean {
  const room = fullRoom();
  const left: (readonly [string, Json])[] = [['command', typeof input === 'string' ? (parsed(input) ?? input) : input]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [key, value] = next;
    if (!fits(room, value)) return true;
    if (typeof value === 'string' && textTells(key, value)) return true;
    if (Array.isArray(value)) {
      const list = value as readonly Json[];
      if (list.length > room.entries || (isCommandKey(key) && isCommandOfCredentials(list))) return true;
      for (const item of list) left.push([key, item]);
    } else if (isJsonObject(value)) {
      if (hasLostEntries(value)) return true;
      for (const name in value) if (!writtenKeys.has(name)) left.push([name, value[name] ?? null]);
      if (left.length > room.entries) return true;
    }
  }
  return false;
}

/** Is the result in this tool call to be sealed? What its input was is not known where the forwarder had to leave it out. */
export function resultIsSecret(call: JsonObject): boolean {
  const given = inputKeys.find((key) => Object.hasOwn(call, key));
  if (given !== undefined) return isSecretInput(call[given] ?? null);
  const command = commandKeys.map((key) => own(call, key)).find((value) => value !== undefined);
  if (command !== undefined && Object.keys(call).some(isResultKey)) return isSecretInput({ command });
  return hasLostEntries(call);
}
