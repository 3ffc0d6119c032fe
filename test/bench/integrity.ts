import { createHash } from 'node:crypto';
import { checkIntegrity } from '#server/translation/core/integrity/index.ts';
import { damagesOf } from '#test/translations/integrity/damages.ts';
import { hostileUnits } from '#test/translations/integrity/hostile-units.ts';
import { type Message, messagesBelow } from './gettext-catalogs.ts';
import { requirePremise } from './load.ts';

/** A folder of compiled gettext catalogs, `…/<locale>/LC_MESSAGES/<name>.mo`. */
const folder = process.env['BENCH_CATALOGS'] ?? '/usr/share/locale';
const perCatalog = Number(process.env['BENCH_PER_CATALOG'] ?? 150);
const damagedPerCatalog = Number(process.env['BENCH_DAMAGED_PER_CATALOG'] ?? 30);
const longText = 50_000;

const checkable = /\d|[\u0660-\u0669]|\{|%[\w(%@]|\$[\w{]|<\/?[a-z]|:\/\/|@\w|&#?\w+;|\]\(|:[a-z]{3}/i;

const issuesOf = (sourceText: string, targetText: string, targetLang: string) =>
  checkIntegrity({ sourceText, targetText, sourceLang: 'en', targetLang, textType: 'Plain' });

/** The first messages of each catalog and language by a hash of their source, so that no order of a file decides. */
function sampled(): Message[] {
  const byCatalog = Map.groupBy(
    messagesBelow(folder)
      .filter(({ source, target }) => checkable.test(source) && source !== target)
      .map((message) => ({ message, hash: createHash('sha256').update(message.source).digest('hex') })),
    ({ message: { lang, catalog } }) => `${lang} ${catalog}`,
  );
  return [...byCatalog.values()].flatMap((messages) =>
    messages
      .sort((a, b) => (a.hash < b.hash ? -1 : 1))
      .slice(0, perCatalog)
      .map(({ message }) => message),
  );
}

const percent = (part: number, whole: number): string =>
  `${((100 * part) / Math.max(1, whole)).toFixed(2)} %`;

/**
 * How often the integrity check alarms over published translations, how many deliberate losses it catches in those that
 * do not alarm, and how much processor time the worst texts of 50,000 characters take. An alarm is not always a
 * false one: translators lose things too.
 */
export async function benchIntegrity(print: (line: string) => void): Promise<void> {
  const messages = sampled();
  requirePremise(
    messages.length >= 1000,
    `${folder} has at least 1,000 translated messages, not ${messages.length}`,
  );
  const alarms = messages.map(({ source, target, lang }) => issuesOf(source, target, lang));
  const alarming = alarms.filter(({ length }) => length > 0).length;
  print(`${messages.length} messages of ${folder}: ${alarming} alarm, ${percent(alarming, messages.length)}`);
  const langs = [...new Set(messages.map(({ lang }) => lang))].sort();
  print(
    langs
      .map((lang) => {
        const own = alarms.filter((_, i) => messages[i]!.lang === lang);
        return `${lang} ${percent(own.filter(({ length }) => length > 0).length, own.length)} of ${own.length}`;
      })
      .join(', '),
  );
  const kinds = new Map<string, number>();
  for (const { severity, span, explanation } of alarms.flat()) {
    const kind = `${severity}: ${explanation.replaceAll(span!, '…').replace(/choice .*/, 'choice …')}`;
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
  }
  for (const [kind, count] of [...kinds].sort(([, a], [, b]) => b - a).slice(0, 12))
    print(`  ${count} ${kind}`);

  const intact = [
    ...Map.groupBy(
      messages.filter((_, i) => alarms[i]!.length === 0),
      ({ lang, catalog }) => `${lang} ${catalog}`,
    ).values(),
  ].flatMap((own) => own.slice(0, damagedPerCatalog));
  const counts = new Map<string, { caught: number; all: number }>();
  const count = (key: string, isCaught: boolean) => {
    const known = counts.get(key) ?? { caught: 0, all: 0 };
    counts.set(key, { caught: known.caught + Number(isCaught), all: known.all + 1 });
  };
  for (const seed of intact.flatMap(damagesOf)) {
    const isCaught = issuesOf(seed.pair.source, seed.damaged, seed.pair.lang).length > 0;
    for (const key of ['all', seed.kind, `language ${seed.pair.lang}`]) count(key, isCaught);
    if (!isCaught && process.env['BENCH_MISSED'])
      print(
        `  missed ${seed.kind} ${seed.lost} (${seed.pair.lang}) ${JSON.stringify([seed.pair.source, seed.damaged])}`,
      );
  }
  for (const [key, { caught, all }] of counts)
    print(`caught, ${key}: ${caught} of ${all}, ${percent(caught, all)}`);

  const times = hostileUnits.map((unit): [number, string] => {
    const text = unit.repeat(longText / unit.length);
    return [Math.min(...[0, 1, 2].map(() => processorTime(() => issuesOf(text, text, 'de')))), unit];
  });
  times.sort(([a], [b]) => b - a);
  print(
    `worst texts: ${times
      .slice(0, 8)
      .map(([ms, unit]) => `${JSON.stringify(unit)} ${ms.toFixed(0)} ms`)
      .join(', ')}`,
  );
}

function processorTime(run: () => void): number {
  const before = process.cpuUsage();
  run();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
