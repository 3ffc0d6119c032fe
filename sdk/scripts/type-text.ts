/** A type as the compiler prints it. */
export type Type =
  | { kind: 'object'; properties: Property[] }
  | { kind: 'array'; of: Type }
  | { kind: 'union'; of: Type[] }
  /** A name, a literal, or a name with arguments. */
  | { kind: 'word'; text: string };

export interface Property {
  /** In printed form: `limit`, or `[x: string]`. */
  name: string;
  isOptional: boolean;
  type: Type;
}

/**
 * Parses a type that the compiler has printed: only objects, arrays, unions, literals and names, as JSON needs.
 * @throws Error at anything else
 */
export function parseType(text: string): Type {
  // A literal from the sources keeps its quotes.
  const doubled = text.replaceAll(/'([^'"\\]*)'/g, '"$1"');
  // Every text, in addition to those that an editor should suggest.
  const anyText = doubled.replaceAll(/\(?\bstring & \{\s*\}\)?/g, '(string & {})');
  const tokens =
    anyText.match(/\(string & \{\}\)|"(?:[^"\\]|\\.)*"|\[\w+: string\]|\[\]|[{}()|;:?<>,]|-?[\w.]+/g) ?? [];
  let at = 0;
  const take = (wanted?: string): string => {
    const token = tokens[at];
    if (token === undefined || (wanted !== undefined && token !== wanted))
      throw new Error(`${wanted ?? 'a type'} expected in place of ${token} in ${text.slice(0, 200)}`);
    at += 1;
    return token;
  };
  const skip = (token: string) => {
    const isThere = tokens[at] === token;
    if (isThere) at += 1;
    return isThere;
  };

  function union(): Type {
    const members = [array()];
    while (skip('|')) members.push(array());
    return members.length === 1 ? (members[0] as Type) : { kind: 'union', of: members };
  }
  function array(): Type {
    let type = primary();
    while (skip('[]')) type = { kind: 'array', of: type };
    return type;
  }
  function primary(): Type {
    if (skip('(')) {
      const inner = union();
      take(')');
      return inner;
    }
    if (!skip('{')) {
      const word = take();
      if (!skip('<')) return { kind: 'word', text: word };
      const parameters = [oneLine(union())];
      while (skip(',')) parameters.push(oneLine(union()));
      take('>');
      return { kind: 'word', text: `${word}<${parameters.join(', ')}>` };
    }
    const properties: Property[] = [];
    while (!skip('}')) {
      skip('readonly');
      const name = take();
      const isOptional = skip('?');
      take(':');
      properties.push({ name, isOptional, type: union() });
      skip(';');
    }
    return { kind: 'object', properties };
  }

  const type = union();
  if (at < tokens.length) throw new Error(`not a whole type: ${text.slice(0, 200)}`);
  return type;
}

/** The type in one line, for comparing types. */
export function oneLine(type: Type): string {
  if (type.kind === 'word') return type.text;
  if (type.kind === 'array')
    return type.of.kind === 'union' ? `(${oneLine(type.of)})[]` : `${oneLine(type.of)}[]`;
  if (type.kind === 'union') return type.of.map(oneLine).sort().join(' | ');
  const properties = type.properties.map(
    ({ name, isOptional, type: of }) => `${name}${isOptional ? '?' : ''}: ${oneLine(of)}`,
  );
  return `{ ${properties.sort().join('; ')} }`;
}
