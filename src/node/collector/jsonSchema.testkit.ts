import { isDeepStrictEqual } from 'node:util';
import type { JsonSchema } from './openapi.ts';

type Schemas = Readonly<Record<string, JsonSchema>>;
type Check = (value: unknown, wanted: never, schema: JsonSchema, at: string, schemas: Schemas) => readonly string[];

/** Says nothing about a value: words for readers. */
const words = new Set(['description', 'default', 'format', 'properties', '$ref']);

const checks: Readonly<Record<string, Check>> = {
  type: (value, wanted: string | readonly string[], _schema, at) =>
    [wanted].flat().some((type) => isOfType(value, type)) ? [] : [`${at} is no ${[wanted].flat().join(' or ')}`],
  const: (value, wanted, _schema, at) => (isDeepStrictEqual(value, wanted) ? [] : [`${at} is not ${String(wanted)}`]),
  enum: (value, wanted: readonly unknown[], _schema, at) =>
    wanted.includes(value) ? [] : [`${at} is none of ${wanted.join(', ')}`],
  required: (value, wanted: readonly string[], _schema, at) =>
    isObject(value)
      ? wanted.filter((name) => !Object.hasOwn(value, name)).map((name) => `${at}.${name} is missing`)
      : [],
  items: (value, wanted: JsonSchema, _schema, at, schemas) =>
    Array.isArray(value) ? value.flatMap((item, index) => troubles(item, wanted, schemas, `${at}[${index}]`)) : [],
  anyOf: (value, wanted: readonly JsonSchema[], _schema, at, schemas) => {
    const each = wanted.map((schema) => troubles(value, schema, schemas, at));
    return each.some((found) => found.length === 0) ? [] : [`${at} is none of these: ${each.flat().join('; ')}`];
  },
  minimum: (value, wanted: number, _schema, at) =>
    Number(value) >= wanted ? [] : [`${at} is below ${wanted as number}`],
  maximum: (value, wanted: number, _schema, at) =>
    Number(value) <= wanted ? [] : [`${at} is above ${wanted as number}`],
  minLength: (value, wanted: number, _schema, at) => (String(value).length >= wanted ? [] : [`${at} is too short`]),
  maxLength: (value, wanted: number, _schema, at) => (String(value).length <= wanted ? [] : [`${at} is too long`]),
  propertyNames: (value, wanted: JsonSchema, _schema, at, schemas) =>
    isObject(value) ? Object.keys(value).flatMap((name) => troubles(name, wanted, schemas, `${at}.${name}`)) : [],
  additionalProperties: (value, wanted: JsonSchema, schema, at, schemas) =>
    isObject(value)
      ? others(value, schema).flatMap((name) => troubles(value[name], wanted, schemas, `${at}.${name}`))
      : [],
};

/**
 * What is wrong with a value, by the part of JSON Schema that the OpenAPI file uses; a word of another part throws. Closed:
 * a property that the schema does not list counts as wrong, so that the file can't forget one.
 */
export function troubles(value: unknown, schema: JsonSchema, schemas: Schemas, at = '$'): readonly string[] {
  const ref = schema['$ref'];
  if (typeof ref === 'string') {
    const target = schemas[ref.replace('#/components/schemas/', '')];
    if (!target) throw new Error(`${ref} leads nowhere`);
    return troubles(value, target, schemas, at);
  }
  const found = Object.entries(schema).flatMap(([word, wanted]) => {
    const check = checks[word];
    if (!check && !words.has(word)) throw new Error(`the validator does not know "${word}" (${at})`);
    return check?.(value, wanted as never, schema, at, schemas) ?? [];
  });
  const properties = schema['properties'] as Schemas | undefined;
  if (!properties || !isObject(value)) return found;
  const inside = Object.entries(properties).flatMap(([name, property]) =>
    Object.hasOwn(value, name) ? troubles(value[name], property, schemas, `${at}.${name}`) : [],
  );
  const unlisted = schema['additionalProperties']
    ? []
    : others(value, schema).map((name) => `${at}.${name} is not listed`);
  return [...found, ...inside, ...unlisted];
}

function others(value: Readonly<Record<string, unknown>>, schema: JsonSchema): readonly string[] {
  return Object.keys(value).filter((name) => !Object.hasOwn((schema['properties'] as Schemas | undefined) ?? {}, name));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    case 'string':
    case 'number':
    case 'boolean':
      return typeof value === type;
    default:
      throw new Error(`no such type: ${type}`);
  }
}
