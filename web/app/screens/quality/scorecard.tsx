import { useQuery } from '@tanstack/react-query';
import type { QualityScorecard } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { useMemberNames } from '../../parts/member-name.tsx';
import { csvOf, saveFile } from '../../parts/save-file.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { PeriodChoice, usePeriod } from './period.tsx';
import styles from './quality.module.css';

type Tally = QualityScorecard['total'];
type Row = Tally & { name: string };

/** The results of quality checks: where errors come from, and who and what passes. */
export function Scorecard() {
  const t = useT();
  const { query } = usePeriod();
  const card = useQuery({
    queryKey: queryKeys.quality.scorecard(query),
    queryFn: () => procedures.quality.scorecard.query(query),
  });
  return (
    <>
      <PeriodChoice>{card.data && <SaveCsv of={card.data} />}</PeriodChoice>
      <Read from={card} lines={10}>
        {(found) =>
          found.total.checks === 0 ? (
            <p className="notice">{t('quality.no_scorecard')}</p>
          ) : (
            <div className={styles['report']}>
              <Scores of={found} />
              <Categories of={found} />
            </div>
          )
        }
      </Read>
    </>
  );
}

const columns = [
  'checks',
  'words',
  'minor',
  'major',
  'critical',
  'points',
  'penalty_per_1000_words',
  'score',
] as const satisfies readonly (keyof Tally)[];

function SaveCsv({ of: { languages, reviewers, files, months, from, to } }: { of: QualityScorecard }) {
  const t = useT();
  const save = async () => {
    const rows = [
      ...languages.map((one) => ['language', one.target_lang, one] as const),
      ...reviewers.map((one) => ['reviewer', one.email ?? one.user_id, one] as const),
      ...files.map((one) => ['file', one.name ?? one.document_id, one] as const),
      ...months.map((one) => ['month', one.month, one] as const),
    ].map(([group, name, tally]) => [
      group,
      name,
      ...columns.map((column) => tally[column]),
      String(tally.passes),
    ]);
    await saveFile({
      fileName: `scorecard-${from}-${to}.csv`,
      body: csvOf(['group', 'name', ...columns, 'passes'], rows),
    });
    announce(t('quality.csv_saved'));
  };
  return (
    <button type="button" onClick={() => void save()}>
      {t('quality.csv')}
    </button>
  );
}

type Reviewer = QualityScorecard['reviewers'][number];

function Scores({ of: card }: { of: QualityScorecard }) {
  const t = useT();
  const { nameOf } = useLanguages();
  const names = useMemberNames();
  const reviewer = ({ user_id, email }: Reviewer) =>
    [...new Set([names(user_id), email ?? user_id])].filter((one) => !email || one !== user_id).join(' · ');
  const groups: [title: string, rows: Row[]][] = [
    [t('quality.language'), card.languages.map((one) => ({ ...one, name: nameOf(one.target_lang) }))],
    [t('quality.reviewer'), card.reviewers.map((one) => ({ ...one, name: reviewer(one) }))],
    [t('quality.file'), card.files.map((one) => ({ ...one, name: one.name ?? one.document_id }))],
    [t('quality.month'), card.months.map((one) => ({ ...one, name: one.month }))],
  ];
  return groups.map(([title, rows], at) =>
    rows.length === 0 ? null : (
      <section key={title} className={`card ${styles['scores']}`} aria-label={title}>
        <Scored
          title={title}
          rows={at === 0 ? [...rows, { ...card.total, name: t('quality.total') }] : rows}
        />
      </section>
    ),
  );
}

function Scored({ title, rows }: { title: string; rows: readonly Row[] }) {
  const t = useT();
  const { number } = useFormat();
  const rounded = (value: number | null) => (value === null ? '–' : number(Math.round(value * 10) / 10));
  const names = (
    [
      ...(['checked', 'words', 'verdict_minor', 'verdict_major', 'verdict_critical'] as const),
      ...(['penalty', 'score', 'result'] as const),
    ] as const
  ).map((name) => t(`quality.${name}`));
  const cellsOf = (row: Row) => [
    ...[row.checks, row.words, row.minor, row.major, row.critical].map((count) => number(count)),
    rounded(row.penalty_per_1000_words),
    rounded(row.score),
    row.passes !== null && (
      <b key="result" data-kind={row.passes ? 'none' : 'major'}>
        {t(row.passes ? 'quality.passes' : 'quality.fails')}
      </b>
    ),
  ];
  return (
    <div className="table-scroll">
      <table className={`stacked ${styles['table']}`}>
        <thead>
          <tr>
            <th scope="col">{title}</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">
                <bdi>{row.name}</bdi>
              </th>
              {cellsOf(row).map((cell, at) => (
                <td key={names[at]} data-label={names[at]}>
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Categories({ of: { categories } }: { of: QualityScorecard }) {
  const t = useT();
  const { number } = useFormat();
  return (
    <section className="card" aria-labelledby="categories">
      <h2 id="categories">{t('quality.categories')}</h2>
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">{t('quality.category')}</th>
            <th scope="col">{t('quality.verdict_minor')}</th>
            <th scope="col">{t('quality.verdict_major')}</th>
            <th scope="col">{t('quality.verdict_critical')}</th>
          </tr>
        </thead>
        <tbody>
          {categories.map(({ category, minor, major, critical }) => (
            <tr key={category}>
              <th scope="row">{t(`quality.category_${category}`)}</th>
              <td>{number(minor)}</td>
              <td>{number(major)}</td>
              <td>{number(critical)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
