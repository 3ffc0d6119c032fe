import { findNumbers } from './numbers.ts';

const units =
  `bit byte kilobyte megabyte gigabyte terabyte millisecond second minute hour day week month year millimeter centimeter
  meter kilometer foot mile gram kilogram milliliter liter celsius fahrenheit percent`.split(/\s+/);

/** Symbols of all languages that `Intl` does not have. */
const symbols: Readonly<Record<string, string>> = {
  KB: 'kilobyte',
  KiB: 'kilobyte',
  MiB: 'megabyte',
  GiB: 'gigabyte',
  TiB: 'terabyte',
  mg: 'milligram',
  мг: 'milligram',
  µg: 'microgram',
  μg: 'microgram',
  mcg: 'microgram',
  мкг: 'microgram',
  l: 'liter',
  ml: 'milliliter',
  '％': 'percent',
  '٪': 'percent',
  '‰': 'permille',
};

/** The units of a quantity. A single letter is a unit only next to another unit of its quantity. */
const quantities = [
  ['microgram', 'milligram', 'gram', 'kilogram'],
  ['milliliter', 'liter'],
  ['millimeter', 'centimeter', 'meter', 'kilometer'],
];
const quantityOf = new Map(quantities.flatMap((own, at) => own.map((unit) => [unit, at] as const)));

const singleLetter = /^(?!\p{Script=Han})\p{L}$/u;

interface Names {
  pattern: RegExp;
  unitOf: ReadonlyMap<string, string>;
}

/** Names and symbols with their units, by language. `Intl` needs some milliseconds for a language. */
const namesByLanguage = new Map<string, (readonly [name: string, unit: string])[]>();

function intlNames(language: string): (readonly [name: string, unit: string])[] {
  const known = namesByLanguage.get(language);
  if (known) return known;
  const names = units.flatMap((unit) =>
    (['long', 'short'] as const).flatMap((unitDisplay) => {
      const format = new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay });
      return [1, 2, 3, 5, 11, 100].flatMap((number) => {
        const parts = format.formatToParts(number).filter(({ type }) => type === 'unit');
        return parts.length === 1 ? [[parts[0]!.value.trim().replace(/\.$/, ''), unit] as const] : [];
      });
    }),
  );
  namesByLanguage.set(language, names);
  return names;
}

const patterns = new Map<string, Names>();

/**
 * Returns the names and symbols of units in a language, and the English ones, which many texts keep. Names of several
 * units are left out, and single letters other than the symbols of masses, volumes and lengths: they mostly mean something else.
 */
function namesIn(language: string): Names {
  const known = patterns.get(language);
  if (known) return known;
  const meanings = new Map<string, Set<string>>();
  for (const [name, unit] of [...Object.entries(symbols), ...intlNames('en'), ...intlNames(language)]) {
    if (name === '' || (singleLetter.test(name) && !quantityOf.has(unit))) continue;
    for (const spelling of [name, name.length > 3 ? name[0]!.toUpperCase() + name.slice(1) : name])
      meanings.set(spelling, (meanings.get(spelling) ?? new Set()).add(unit));
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
  patterns.set(language, names);
  return names;
}

/** Whether the unit of one of the measures is a letter that may mean something else than the unit of the other. */
function isDoubtful(units: readonly [string, string], spans: readonly string[]): boolean {
  if (!spans.some((span) => singleLetter.test(/\p{L}+$/u.exec(span)?.[0] ?? ''))) return false;
  const [one, other] = units.map((unit) => quantityOf.get(unit));
  return one === undefined || one !== other;
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
    if (lost && !isDoubtful([lost[0], other[0]], [lost[1], other[1]]))
      changed.set(lost[1], { source: lost[1], target: other[1] });
  }
  return [...changed.values()];
}
