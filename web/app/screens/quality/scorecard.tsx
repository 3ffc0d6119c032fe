import { useQuery } from '@tanstack/react-query';
import type { QualityScorecard } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Card } from '../../kit/card.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Section } from '../../kit/section.tsx';
import { Badge } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { useMemberNames } from '../../parts/member-name.tsx';
import { csvOf, saveFile } from '../../parts/save-file.ts';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { PeriodChoice, usePeriod } from './period.tsx';

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
            <>
              <Scores of={found} />
              <Categories of={found} />
            </>
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
      <Card as="section" key={title} aria-label={title}>
        <Scored
          title={title}
          rows={at === 0 ? [...rows, { ...card.total, name: t('quality.total') }] : rows}
        />
      </Card>
    ),
  );
}

function Scored({ title, rows }: { title: string; rows: readonly Row[] }) {
  const t = useT();
  const { number } = useFormat();
  const rounded = (value: number | null) => (value === null ? '–' : number(Math.round(value * 10) / 10));
  const counts = [
    ['checked', 'checks'],
    ['words', 'words'],
    ['verdict_minor', 'minor'],
    ['verdict_major', 'major'],
    ['verdict_critical', 'critical'],
  ] as const;
  return (
    <DataTable
      rows={rows}
      keyOf={({ name }) => name}
      columns={[
        { title, isName: true, cell: ({ name }) => <bdi>{name}</bdi> },
        {
          title: t('quality.result'),
          cell: ({ passes }) =>
            passes !== null && (
              <Badge tone={passes ? 'good' : 'bad'}>{t(passes ? 'quality.passes' : 'quality.fails')}</Badge>
            ),
        },
        ...counts.map(([name, count]) => ({
          title: t(`quality.${name}`),
          isNumeric: true,
          cell: (row: Row) => number(row[count]),
        })),
        {
          title: t('quality.penalty'),
          isNumeric: true,
          cell: ({ penalty_per_1000_words }) => rounded(penalty_per_1000_words),
        },
        { title: t('quality.score'), isNumeric: true, cell: ({ score }) => rounded(score) },
      ]}
    />
  );
}

function Categories({ of: { categories } }: { of: QualityScorecard }) {
  const t = useT();
  const { number } = useFormat();
  return (
    <Section title={t('quality.categories')}>
      <DataTable
        rows={categories}
        keyOf={({ category }) => category}
        columns={[
          {
            title: t('quality.category'),
            isName: true,
            cell: ({ category }) => t(`quality.category_${category}`),
          },
          ...(['minor', 'major', 'critical'] as const).map((severity) => ({
            title: t(`quality.verdict_${severity}`),
            isNumeric: true,
            cell: (row: QualityScorecard['categories'][number]) => number(row[severity]),
          })),
        ]}
      />
    </Section>
  );
}
