import { createParser, decodePieces, XmlFileError } from './xml/xml-parser.ts';

export { XmlFileError };

/** Segmentation rules in the format SRX 2.0, as other translation tools export them. */
export interface Srx {
  /** Whether all maps that match a language apply, in order; otherwise only the first. */
  cascade: boolean;
  /** The rules by the name of their group, in file order. */
  groups: ReadonlyMap<string, readonly SrxRule[]>;
  /** The groups of rules for languages: a regular expression for the language code, and the name of a group. */
  maps: readonly { pattern: string; group: string }[];
}

/** A rule: whether there is a break between a text that matches one pattern and a text that matches another. */
export interface SrxRule {
  /** The position of the rule in the file, from 1. */
  number: number;
  breaks: boolean;
  before: string;
  after: string;
}

/** Bytes of a file, rules in it, groups and maps of languages, and characters of a pattern. */
const srxLimits = { bytes: 1_000_000, rules: 2000, groups: 200, pattern: 2000 };

/** @throws {XmlFileError} if the file is no SRX file, or exceeds a limit */
export function readSrx(bytes: Uint8Array): Srx {
  if (bytes.length > srxLimits.bytes)
    throw new XmlFileError('invalid', `the file exceeds ${srxLimits.bytes} bytes`);
  const groups = new Map<string, SrxRule[]>();
  const maps: { pattern: string; group: string }[] = [];
  const path: string[] = [];
  let cascade = false;
  let group: SrxRule[] = [];
  let rule: SrxRule | undefined;
  let rules = 0;

  const parser = createParser({
    open: (written, attributes, line) => {
      const name = localName(written);
      path.push(name);
      if (path.length === 1 && name !== 'srx')
        throw new XmlFileError(
          'wrong_root',
          'the file is XML but not SRX: its root element is not <srx>',
          line,
        );
      if (name === 'srx' && attributes['version'] !== '2.0')
        throw new XmlFileError('invalid', 'only SRX 2.0 is supported; export the rules as SRX 2.0', line);
      if (name === 'header') cascade = attributes['cascade'] === 'yes';
      else if (name === 'languagerule') {
        group = [];
        groups.set(attributes['languagerulename'] ?? '', group);
      } else if (name === 'languagemap')
        maps.push({
          pattern: attributes['languagepattern'] ?? '',
          group: attributes['languagerulename'] ?? '',
        });
      else if (name === 'rule') {
        rules += 1;
        rule = { number: rules, breaks: attributes['break'] !== 'no', before: '', after: '' };
        group.push(rule);
      }
      if (rules > srxLimits.rules)
        throw new XmlFileError('invalid', `the file has more than ${srxLimits.rules} rules`, line);
      if (groups.size > srxLimits.groups || maps.length > srxLimits.groups)
        throw new XmlFileError(
          'invalid',
          `the file has rules for more than ${srxLimits.groups} languages`,
          line,
        );
    },
    text: (piece) => {
      const name = path.at(-1);
      if (!rule) return;
      if (name === 'beforebreak') rule.before += piece;
      else if (name === 'afterbreak') rule.after += piece;
      if (rule.before.length > srxLimits.pattern || rule.after.length > srxLimits.pattern)
        throw new XmlFileError(
          'invalid',
          `rule ${rule.number}: a pattern exceeds ${srxLimits.pattern} characters`,
        );
    },
    close: () => {
      if (path.pop() === 'rule') rule = undefined;
    },
  });
  for (const piece of decodePieces(bytes, 'an SRX file')) parser.write(piece);
  parser.close();
  if (maps.length === 0) throw new XmlFileError('invalid', 'the file maps no language to rules');
  return { cascade, groups, maps };
}

/** Removes the prefix of an element's name. */
function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
