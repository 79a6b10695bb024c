import { isJsonObject } from '../../protocol/json.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { STRING_MAX_BYTES } from '../../protocol/limits.ts';
import { hasLostEntries, wasCut } from './cuts.ts';
import { isCredentialFile, isCredentialGlob } from './files.ts';
import { printsSecrets } from './shell.ts';

const pathKeys = names(
  'file_path filePath path paths notebook_path notebookPath filename fileName file files uri target_file targetFile relative_path ' +
    'relativePath absolute_path absolutePath relative_workspace_path source destination',
);
const globKeys = names('glob include');
/** Lists of objects that each name a file. */
const fileListKeys = names('files edits paths reads requests');
const commandKeys = names('command cmd script commandLine command_line input');

/** Where tools and their results hold a file's contents. */
const contentKeys = names(
  'content contents old_string new_string oldString newString edits structuredPatch originalFile original_file new_source old_source ' +
    'newSource oldSource file_text fileText old_str new_str oldStr newStr insert_text insertText text lines diff patch gitDiff data ' +
    'base64 replacement code_edit before after originalContent original_content newContent new_content modified cells source_code ' +
    'replace_string value body chunk snippet stdout stderr output',
);

/** What stays of a sealed tool result: which file, how big, of which sort. */
const plainKeys = names(
  'type file_path filePath path paths notebook_path filename filenames mode uri status media_type mediaType mimeType encoding language ' +
    'cell_type cell_id id role tool_use_id persistedOutputPath backgroundTaskId',
);

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
  return commandKeys.has(key) || key === 'ruleContent';
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

function someObject(value: Json | undefined, room: Room, tells: Tells<JsonObject>): boolean {
  return entriesOf(value).some(
    (entry) => !fits(room, entry) || (typeof entry === 'string' ? wasCut(entry) : isJsonObject(entry) && tells(entry)),
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

function runsCredentials(command: Json | undefined, room: Room): boolean {
  if (someText(command, room, printsSecrets)) return true;
  const words = entriesOf(command).filter((word) => typeof word === 'string');
  return words.length > 1 && printsSecrets(words.map(quoted).join(' '));
}

function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", ' ')}'`;
}

/** Would the result of a tool called with this input hold a credential file's contents? */
function isSecretInput(input: Json | undefined): boolean {
  if (!isJsonObject(input)) return typeof input === 'string' && wasCut(input);
  const room = fullRoom();
  if (namesCredentials(input, room)) return true;
  const names: Tells<JsonObject> = (object) => namesCredentials(object, room);
  for (const key of fileListKeys) if (someObject(own(input, key), room, names)) return true;
  for (const key of commandKeys) if (runsCredentials(own(input, key), room)) return true;
  return false;
}

/** Is the result in this tool call to be sealed? What its input was is not known where the forwarder had to leave it out. */
export function resultIsSecret(call: JsonObject): boolean {
  return Object.hasOwn(call, 'tool_input') ? isSecretInput(call['tool_input']) : hasLostEntries(call);
}
