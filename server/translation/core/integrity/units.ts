import { findNumbers } from './numbers.ts';

const units =
  `bit byte kilobyte megabyte gigabyte terabyte petabyte microsecond millisecond second minute hour day week month
  year millimeter centimeter meter kilometer inch foot yard mile gram kilogram ounce pound milliliter liter gallon celsius
  fahrenheit percent`.split(/\s+/);

/** Symbols of all languages that `Intl` does not have. */
const symbols: Readonly<Record<string, string>> = {
  KB: 'kilobyte',
  KiB: 'kilobyte',
  MiB: 'megabyte',
  GiB: 'gigabyte',
  TiB: 'terabyte',
  '％': 'percent',
  '٪': 'percent',
  '‰': 'permille',
};

interface Names {
  pattern: RegExp;
  unitOf: ReadonlyMap<string, string>;
}

const namesByLanguage = new Map<string, Names>();

/**
 * Returns the names and symbols of units in a language, and the English ones, which many texts keep. Names of several
 * units, single letters and “in” are left out: they mostly mean something else.
 */
function namesIn(language: string): Names {
  const known = namesByLanguage.get(language);
  if (known) return known;
  const meanings = new Map<string, Set<string>>(
    Object.entries(symbols).map(([symbol, unit]) => [symbol, new Set([unit])]),
  );
  for (const unit of units)
    for (const locale of ['en', language])
      for (const unitDisplay of ['long', 'short'] as const) {
        const format = new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay });
        for (const number of [1, 2, 3, 5, 11, 100]) {
          const parts = format.formatToParts(number).filter(({ type }) => type === 'unit');
          const name = parts.length === 1 ? parts[0]!.value.trim().replace(/\.$/, '') : '';
          if (name === '' || name === 'in' || /^(?!\p{Script=Han})\p{L}$/u.test(name)) continue;
          for (const spelling of new Set([
            name,
            name.length > 3 ? name[0]!.toUpperCase() + name.slice(1) : name,
          ]))
            meanings.set(spelling, (meanings.get(spelling) ?? new Set()).add(unit));
        }
      }
  const unitOf = new Map(
    [...meanings].flatMap(([name, [unit, ...others]]) => (others.length === 0 ? [[name, unit!]] : [])),
  );
  const longestFirst = [...unitOf.keys()].sort((a, b) => b.length - a.length);
  // Words of these languages are not divided by spaces.
  const end = /^(?:ja|zh|ko|th)/.test(language) ? '(?![A-Za-z])' : String.raw`(?![\p{L}\p{M}])`;
  const pattern = new RegExp(
    String.raw`[ \u00a0\u202f-]?(${longestFirst.map((name) => RegExp.escape(name)).join('|')})${end}`,
    'uy',
  );
  const names = { pattern, unitOf };
  namesByLanguage.set(language, names);
  return names;
}

/** For each number, its units, each with its first measure. */
type Measures = Map<string, Map<string, string>>;

function measuresIn(text: string, language: string): Measures {
  const measures: Measures = new Map();
  if (!/\p{Nd}/u.test(text)) return measures;
  const { pattern, unitOf } = namesIn(language);
  for (const { start, end, values } of findNumbers(text)) {
    pattern.lastIndex = end;
    const name = pattern.exec(text)?.[1];
    if (name === undefined) continue;
    const [unit, span] = [unitOf.get(name)!, text.slice(start, pattern.lastIndex)];
    for (const value of values) {
      const spans = measures.get(value) ?? new Map<string, string>();
      if (!spans.has(unit)) measures.set(value, spans.set(unit, span));
    }
  }
  return measures;
}

/** A measure of the source, and the same number with another unit in the target. */
export interface ChangedUnit {
  source: string;
  target: string;
}

/**
 * Returns the measures whose number the target has with another unit only, such as 5 GB for 5 MB. Units that are left
 * out or have other names are not found.
 * @param texts source and target, with everything except prose blanked out
 */
export function changedUnits(
  [source, target]: readonly [source: string, target: string],
  sourceLang: string,
  targetLang: string,
): ChangedUnit[] {
  const wanted = measuresIn(source, sourceLang);
  if (wanted.size === 0) return [];
  const present = measuresIn(target, targetLang);
  const changed = new Map<string, ChangedUnit>();
  for (const [value, units] of wanted) {
    const own = present.get(value);
    const other = own && [...own].find(([unit]) => !units.has(unit));
    const lost = other && [...units].find(([unit]) => !own.has(unit));
    if (lost) changed.set(lost[1], { source: lost[1], target: other[1] });
  }
  return [...changed.values()];
}
