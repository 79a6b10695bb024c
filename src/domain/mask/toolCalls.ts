import { isJsonObject } from '../../protocol/json.ts';
import type { Json, JsonObject } from '../../protocol/json.ts';
import { isCredentialFile, isCredentialGlob } from './files.ts';
import { readShell } from './shell.ts';

const pathKeys = names(
  'file_path filePath path paths notebook_path notebookPath filename fileName file files uri target_file targetFile relative_path ' +
    'relativePath absolute_path absolutePath relative_workspace_path source destination',
);
const globKeys = names('glob include');
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

function stringsOf(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!Array.isArray(value)) return [];
  return value.flatMap((item: Json) => (typeof item === 'string' ? [item] : []));
}

function own(object: JsonObject, key: string): Json | undefined {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** Does the object speak of a credential file, so that the contents beside the path are one's? */
export function namesCredentialFile(object: JsonObject): boolean {
  for (const key of pathKeys) {
    if (stringsOf(own(object, key)).some(isPathOfCredentials)) return true;
  }
  for (const key of globKeys) {
    if (stringsOf(own(object, key)).some(isCredentialGlob)) return true;
  }
  return false;
}

function isPathOfCredentials(text: string): boolean {
  return isCredentialFile(text.startsWith('file://') ? text.slice(7) : text);
}

function nestedFiles(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter((item: Json): item is JsonObject => isJsonObject(item)) : [];
}

/** Would the result of a tool called with this input hold a credential file's contents? */
export function resultIsSecret(input: Json | undefined): boolean {
  if (!isJsonObject(input)) return false;
  if (namesCredentialFile(input)) return true;
  if (
    ['files', 'edits', 'paths', 'reads', 'requests'].some((key) =>
      nestedFiles(own(input, key)).some(namesCredentialFile),
    )
  )
    return true;
  for (const key of commandKeys) {
    const words = stringsOf(own(input, key));
    if (words.some((word) => readShell(word).printsSecrets)) return true;
    if (words.length > 1 && readShell(words.map(quoted).join(' ')).printsSecrets) return true;
  }
  return false;
}

function quoted(word: string): string {
  return /^[\w./-]+$/.test(word) ? word : `'${word.replaceAll("'", ' ')}'`;
}
