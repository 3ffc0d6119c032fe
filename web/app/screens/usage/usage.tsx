import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { reviewReports } from '#sdk/review-reports.ts';
import type { PayReport, TurnaroundReport } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { AdminsOnly } from '../../parts/admins-only.tsx';
import { Field } from '../../parts/field.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { MemberName } from '../../parts/member-name.tsx';
import { BilledCharacters } from './breakdown.tsx';
import { Month } from './month.tsx';
import { PublishedTexts, ReviewReasons } from './outcomes.tsx';
import { ReviewerTable, Segments } from './report-parts.tsx';
import { sumOutcomes, useBreakdown, useOutcomes, useRange, useReviews } from './reports.ts';
import { NoReviews, Reviewers } from './reviewers.tsx';
import styles from './usage.module.css';

/**
 * `/app/reports`: billed characters, the results of texts, and the reviewers' work in a range of days; and the usage
 * records of a month.
 */
export function UsageScreen() {
  return (
    <AdminsOnly title="common.usage" acts={<RangeChoice />}>
      {({ tenant }) => (
        <div className={styles['reports']}>
          <KeyFigures />
          <BilledCharacters />
          <PublishedTexts />
          <Reviewers />
          <Pay />
          <Turnaround />
          <Month tenantId={tenant.id} />
          <ReviewReasons />
        </div>
      )}
    </AdminsOnly>
  );
}

/** The four figures of the range. A figure without data is a dash. */
function KeyFigures() {
  const t = useT();
  const { number, percent, duration } = useFormat();
  const { data: usage } = useBreakdown('target_lang');
  const { data: texts } = useOutcomes();
  const { data: reviews } = useReviews('byReviewer');
  const chars = usage?.groups.reduce((sum, { billable_chars }) => sum + billable_chars, 0) ?? 0;
  const jobs = usage?.groups.reduce((sum, one) => sum + one.jobs, 0) ?? 0;
  const sums = texts && sumOutcomes(texts);
  const decided = sums ? sums.automatic + sums.reviewed + sums.rejected + sums.waiting : 0;
  const words = reviews?.reviewers.reduce((sum, one) => sum + one.words, 0) ?? 0;
  const edits = reviews?.reviewers.reduce((sum, one) => sum + one.edits, 0) ?? 0;
  return (
    <dl className={styles['figures']}>
      <Figure name={t('usage.chars')} note={t('usage.of_jobs', { count: jobs, jobs: number(jobs) })}>
        {usage && number(chars)}
      </Figure>
      <Figure name={t('usage.automatic_share')} note={t('usage.of_texts', { texts: number(decided) })}>
        {sums && decided > 0 && percent(sums.automatic / decided)}
      </Figure>
      <Figure name={t('usage.median')} note={t('usage.median_note')}>
        {texts && texts.median_ms !== null && duration(texts.median_ms)}
      </Figure>
      <Figure name={t('usage.edit_distance')} note={t('usage.of_words', { words: number(words) })}>
        {words > 0 && percent(edits / words)}
      </Figure>
    </dl>
  );
}

function Figure({ name, note, children }: { name: string; note: string; children: ReactNode }) {
  return (
    <div className="card">
      <dt>{name}</dt>
      <dd>
        <b translate="no">{children || '–'}</b>
        <span className="hint">{note}</span>
      </dd>
    </div>
  );
}

const dayMs = 86_400_000;
/** Numbers of days that are selected with one click; the last day is today. */
const presets = ['7', '30', '90', '365'] as const;

type Preset = (typeof presets)[number];

function lastDays(days: number): { from: string; to: string } {
  const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10);
  return { from: dayOf(Date.now() - (days - 1) * dayMs), to: dayOf(Date.now()) };
}

/** Selects the days of all reports: by one click, or a first and a last day. */
function RangeChoice() {
  const t = useT();
  const navigate = useNavigate({ from: '/app/reports' });
  const shown = { ...lastDays(30), ...useRange() };
  const preset = presets.find((days) => {
    const { from, to } = lastDays(Number(days));
    return from === shown.from && to === shown.to;
  });
  const show = (range: { from: string; to: string }) =>
    void navigate({ search: (before) => ({ ...before, ...range }) });
  return (
    <>
      <Segments<Preset | 'other'>
        label={t('usage.range')}
        value={preset ?? 'other'}
        options={presets.map((value) => ({ value, name: t('usage.last_days', { days: Number(value) }) }))}
        onChange={(days) => show(lastDays(Number(days)))}
      />
      <Days key={`${shown.from} ${shown.to}`} shown={shown} onShow={show} />
    </>
  );
}

function Days({
  shown,
  onShow,
}: {
  shown: { from: string; to: string };
  onShow: (range: { from: string; to: string }) => void;
}) {
  const t = useT();
  const [range, setRange] = useState(shown);
  return (
    <form
      className={styles['range']}
      onSubmit={(event) => {
        event.preventDefault();
        onShow(range);
      }}
    >
      <Field
        label={t('usage.first_day')}
        type="date"
        required
        max={range.to}
        value={range.from}
        onValue={(from) => setRange({ ...range, from })}
      />
      <Field
        label={t('usage.last_day')}
        type="date"
        required
        min={range.from}
        value={range.to}
        onValue={(to) => setRange({ ...range, to })}
      />
      <button type="submit">{t('usage.show')}</button>
    </form>
  );
}

/** How long items awaited their reviews, of those that were decided in the selected days, and whether that was in time. */
function Turnaround() {
  const t = useT();
  const report = useReviews('turnaround');
  return (
    <section className={`card ${styles['wide']}`} aria-labelledby="turnaround">
      <h2 id="turnaround">{t('usage.turnaround')}</h2>
      <Read from={report} lines={6}>
        {(found) =>
          found.rows.length === 0 ? <NoReviews why="usage.no_decisions" /> : <Table report={found} />
        }
      </Read>
    </section>
  );
}

function Table({ report: { from, to, rows } }: { report: TurnaroundReport }) {
  const t = useT();
  const { number, span, utcDay } = useFormat();
  const { nameOf } = useLanguages();
  return (
    <ReviewerTable
      caption={t('usage.turnaround_of', { from: utcDay(from), to: utcDay(to) })}
      hint={t('usage.turnaround_hint')}
      names={[
        ...[t('assignments.assigned_to'), t('usage.pay_languages'), t('assignments.items')],
        ...[t('usage.first_median'), t('usage.first_p90'), t('usage.last_median'), t('usage.last_p90')],
        ...[t('usage.on_time'), t('assignments.overdue')],
      ]}
      rows={rows.map((row) => ({
        key: `${row.user_id} ${row.source_lang} ${row.target_lang}`,
        reviewer:
          row.user_id === null ? (
            t('assignments.unassigned')
          ) : (
            <bdi translate="no">{row.name ?? row.user_id}</bdi>
          ),
        cells: [
          `${nameOf(row.source_lang)} → ${nameOf(row.target_lang)}`,
          number(row.items),
          ...[row.first_median, row.first_p90, row.last_median, row.last_p90].map(span),
          ...[row.on_time, row.overdue].map(number),
        ],
      }))}
      exportName={t('usage.export_turnaround')}
      workbook={() => bound(reviewReports).turnaroundXlsx({ from, to })}
    />
  );
}

type Row = PayReport['rows'][number];

/**
 * The source words that each reviewer confirmed or changed in the selected days, by language pair and match with the
 * translation memory; and the same as an Excel workbook, which has each band in a column.
 */
function Pay() {
  const t = useT();
  const report = useReviews('pay');
  return (
    <section className={`card ${styles['wide']}`} aria-labelledby="pay">
      <h2 id="pay">{t('usage.pay')}</h2>
      <Read from={report} lines={6}>
        {(found) =>
          found.rows.length === 0 ? <NoReviews why="usage.no_words" /> : <PayTable report={found} />
        }
      </Read>
    </section>
  );
}

/** The columns of the table: the bands that each sums. */
const columns: readonly (readonly (keyof Row['bands'])[])[] = [
  ['new'],
  ['from_70', 'from_75'],
  ['from_85', 'from_95'],
  ['sentences', 'exact', 'context'],
  ['repetitions'],
];

function PayTable({ report: { from, to, rows } }: { report: PayReport }) {
  const t = useT();
  const { number, percent, utcDay } = useFormat();
  const { nameOf } = useLanguages();
  const between = (low: number, high: number) => `${percent(low)}–${percent(high)}`;
  return (
    <ReviewerTable
      caption={t('usage.pay_of', { from: utcDay(from), to: utcDay(to) })}
      hint={t('usage.pay_hint')}
      names={[
        ...[t('usage.reviewer'), t('usage.pay_languages'), t('usage.pay_words'), t('usage.pay_new')],
        ...[between(0.7, 0.84), between(0.85, 0.99), t('usage.pay_exact'), t('usage.pay_repetitions')],
      ]}
      rows={rows.map((row) => ({
        key: `${row.user_id} ${row.source_lang} ${row.target_lang} ${row.review}`,
        reviewer: (
          <>
            <MemberName email={row.email} id={row.user_id} />
            {row.review === 'second' && (
              <span className={styles['known']}>{t('assignments.second_review')}</span>
            )}
          </>
        ),
        cells: [
          `${nameOf(row.source_lang)} → ${nameOf(row.target_lang)}`,
          number(row.words),
          ...columns.map((bands) => number(bands.reduce((sum, band) => sum + row.bands[band].words, 0))),
        ],
      }))}
      exportName={t('usage.export_pay')}
      workbook={() => bound(reviewReports).payXlsx({ from, to })}
    />
  );
}
