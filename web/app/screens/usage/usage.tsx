import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { reviewReports } from '#sdk/review-reports.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { ActionButton } from '../../kit/action-button.tsx';
import { Grid, Row, Stack } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { DatePicker } from '../../kit/date-picker.tsx';
import { Section } from '../../kit/section.tsx';
import { Segments } from '../../kit/segments.tsx';
import { Text } from '../../kit/text.tsx';
import { AdminsOnly } from '../../parts/admins-only.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { saveFile } from '../../parts/save-file.ts';
import { BilledCharacters } from './breakdown.tsx';
import { Month } from './month.tsx';
import { useBreakdown, useRange, useReviewers } from './reports.ts';
import { Reviewers } from './reviewers.tsx';

/**
 * `/app/reports`: billed characters and the reviewers' work in a range of days, with an export of approved items; and the
 * usage records of a month.
 */
export function UsageScreen() {
  return (
    <AdminsOnly title="common.usage" acts={<RangeChoice />}>
      {({ tenant }) => (
        <Stack gap={4}>
          <KeyFigures />
          <BilledCharacters />
          <Reviewers />
          <Grid least={24} align="start">
            <ApprovedItems />
            <Month tenantId={tenant.id} />
          </Grid>
        </Stack>
      )}
    </AdminsOnly>
  );
}

/** The figures of the range. A figure without data is a dash. */
function KeyFigures() {
  const t = useT();
  const { number, percent } = useFormat();
  const { data: usage } = useBreakdown('target_lang');
  const { data: reviews } = useReviewers();
  const chars = usage?.groups.reduce((sum, { billable_chars }) => sum + billable_chars, 0) ?? 0;
  const jobs = usage?.groups.reduce((sum, one) => sum + one.jobs, 0) ?? 0;
  const words = reviews?.reviewers.reduce((sum, one) => sum + one.words, 0) ?? 0;
  const edits = reviews?.reviewers.reduce((sum, one) => sum + one.edits, 0) ?? 0;
  return (
    <Grid as="dl" least={9.5}>
      <Figure name={t('usage.chars')} note={t('usage.of_jobs', { count: jobs, jobs: number(jobs) })}>
        {usage && number(chars)}
      </Figure>
      <Figure name={t('usage.edit_distance')} note={t('usage.of_words', { words: number(words) })}>
        {words > 0 && percent(edits / words)}
      </Figure>
    </Grid>
  );
}

function Figure({ name, note, children }: { name: string; note: string; children: ReactNode }) {
  return (
    <Card gap={0} pad={4}>
      <Text as="dt" size="sm" tone="soft">
        {name}
      </Text>
      <dd style={{ margin: 0 }}>
        <Text size="2xl" weight="semi" isNumeric translate="no">
          {children || '–'}
        </Text>
        <span className="hint">{note}</span>
      </dd>
    </Card>
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
    <Row gap={4} align="end" justify="space-between">
      <Segments<Preset | 'other'>
        label={t('usage.range')}
        value={preset ?? 'other'}
        options={presets.map((value) => [value, t('usage.last_days', { days: Number(value) })])}
        onChange={(days) => show(lastDays(Number(days)))}
      />
      <Days key={`${shown.from} ${shown.to}`} shown={shown} onShow={show} />
    </Row>
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
    <Row
      as="form"
      align="end"
      onSubmit={(event: FormEvent) => {
        event.preventDefault();
        onShow(range);
      }}
    >
      <DatePicker
        label={t('usage.first_day')}
        max={range.to}
        value={range.from}
        onValue={(from) => setRange({ ...range, from })}
      />
      <DatePicker
        label={t('usage.last_day')}
        min={range.from}
        value={range.to}
        onValue={(to) => setRange({ ...range, to })}
      />
      <button type="submit" disabled={range.from === '' || range.to < range.from}>
        {t('usage.show')}
      </button>
    </Row>
  );
}

/** Saves who approved what in the selected days, as a file for a spreadsheet. */
function ApprovedItems() {
  const t = useT();
  const range = useRange();
  const [format, setFormat] = useState<'csv' | 'xlsx'>('csv');
  const save = async () => {
    const { fileName, content } = await bound(reviewReports).approvedItems({ ...range, format });
    await saveFile({ fileName, body: content });
    announce(t('usage.saved'));
  };
  return (
    <Section title={t('usage.approved_items')} why={t('usage.approved_items_hint')}>
      <Row gap={4}>
        <Segments<'csv' | 'xlsx'>
          label={t('usage.file_format')}
          value={format}
          options={[
            ['csv', 'CSV'],
            ['xlsx', 'Excel'],
          ]}
          onChange={setFormat}
        />
        <ActionButton onRun={save}>{t('usage.export_approved_items')}</ActionButton>
      </Row>
    </Section>
  );
}
