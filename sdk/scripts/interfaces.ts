import { describe, idOf, type Place, propertyOf } from './descriptions.ts';
import { oneLine, type Property, type Type } from './type-text.ts';

/** A type that src/types.ts exports. */
export interface Exported {
  name: string;
  /** Its comment in the source, with a line break at its end; empty if it has none. */
  comment: string;
  type: Type;
  place: Place | undefined;
  /** The interface in its source form, if it is one there. */
  written?: string | undefined;
}

/**
 * Prints exported types as interfaces: an object in an object is a separate interface, named after the identical
 * exported type, its schema, or its property. Each property has the description of its schema.
 */
export function printInterfaces(exported: readonly Exported[]): string {
  const names = new Map<string, string>();
  const taken = new Set(exported.map(({ name }) => name));
  for (const { name, type } of exported) {
    if (isNameable(type) && !names.has(oneLine(type))) names.set(oneLine(type), name);
  }
  const waiting = [...exported];
  const printed: string[] = [];

  /** Makes an object print as an interface. */
  const nameOf = (type: Type, wished: string, place: Place | undefined): string => {
    const known = names.get(oneLine(type));
    if (known !== undefined) return known;
    const id = place && idOf(place);
    const stem = id === undefined || taken.has(id) ? wished : id;
    let name = stem;
    for (let n = 2; taken.has(name); n += 1) name = `${stem}${n}`;
    taken.add(name);
    names.set(oneLine(type), name);
    waiting.push({ name, comment: `/** ${commentOf(name, place)} */\n`, type, place });
    return name;
  };

  const refer = (type: Type, wished: string, place: Place | undefined): string => {
    if (type.kind === 'word') return type.text;
    if (type.kind === 'array') {
      const of = refer(type.of, singular(wished), place);
      return / \| /.test(of) ? `(${of})[]` : `${of}[]`;
    }
    if (type.kind === 'object')
      return isNameable(type) ? nameOf(type, wished, place) : printObject(type, wished, place);
    const literals: Type = { kind: 'union', of: type.of.filter(isText) };
    const named =
      literals.of.length >= minNamedFields ? nameOf(literals, wished, place) : names.get(oneLine(literals));
    const members = type.of.filter((member) => named === undefined || !isText(member));
    return [
      ...(named === undefined ? [] : [named]),
      ...members.map((member, n) =>
        refer(member, members.filter(isObject).length > 1 ? memberName(member, wished, n) : wished, place),
      ),
    ].join(' | ');
  };

  const printProperty = ({ name, isOptional, type }: Property, of: string, place: Place | undefined) => {
    const inner = place && propertyOf(place, name);
    const description = inner && describe(inner);
    const wished = `${of}${pascal(name)}`;
    return [
      ...(description === undefined ? [] : [`  /** ${escaped(description)} */`]),
      `  ${name}${isOptional ? '?' : ''}: ${refer(type, wished, inner)};`,
    ].join('\n');
  };

  const printObject = (type: Type & { kind: 'object' }, name: string, place: Place | undefined): string =>
    `{\n${type.properties.map((property) => printProperty(property, name, place)).join('\n')}\n}`;

  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const { name, comment, type, place, written } = next;
    if (written !== undefined) {
      printed.push(`${comment}${written}`);
      continue;
    }
    const other = names.get(oneLine(type));
    if (type.kind === 'object' && other === name)
      printed.push(`${comment}export interface ${name} ${printObject(type, name, place)}`);
    else {
      const text = other !== undefined && other !== name ? other : referWhole(type, name, place);
      printed.push(`${comment}export type ${name} = ${text};`);
    }
  }
  return `${printed.join('\n')}\n`;

  /** An exported union, whose members are named by their differences. */
  function referWhole(type: Type, name: string, place: Place | undefined): string {
    if (type.kind !== 'union') return refer(type, name, place);
    if (type.of.every(isText)) return type.of.map(oneLine).join(' | ');
    return type.of.map((member, n) => refer(member, memberName(member, name, n), place)).join(' | ');
  }
}

/** Unions of fewer texts are inlined, unless they have a name. */
const minNamedFields = 5;

/** Whether a type is worth a name: an object with properties, or a choice of texts. */
function isNameable(type: Type): boolean {
  if (type.kind === 'object') return type.properties.some(({ name }) => !name.startsWith('['));
  return type.kind === 'union' && type.of.every(isText);
}

/** A member of a union is named by its first property that is a constant: `mfa_required: true`. */
function memberName(member: Type, union: string, n: number): string {
  const constant =
    member.kind === 'object' &&
    member.properties.find(({ type }) => isText(type) || (type.kind === 'word' && type.text === 'true'));
  if (!constant) return `${union}${n + 1}`;
  return `${union}${pascal(isText(constant.type) ? oneLine(constant.type) : constant.name)}`;
}

function isObject(type: Type): boolean {
  return type.kind === 'object';
}

function isText(type: Type): boolean {
  return type.kind === 'word' && type.text.startsWith('"');
}

function commentOf(name: string, place: Place | undefined): string {
  const description = place && describe(place);
  return description === undefined ? `${words(name)}.` : escaped(description);
}

/** `TranslationJobRequest` → `Translation job request`. */
function words(name: string): string {
  const [first = '', ...others] = name.split(/(?=[A-Z])/);
  return [first, ...others.map((word) => word.toLowerCase())].join(' ');
}

function singular(name: string): string {
  return name.replace(/(?<=x|ch)es$|(?<=[^su])s$/, '');
}

function pascal(name: string): string {
  return name
    .replaceAll(/["[\]]/g, '')
    .split(/[_\W]+/)
    .map((word) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`)
    .join('');
}

function escaped(text: string): string {
  return text.replaceAll('*/', '*\\/');
}
