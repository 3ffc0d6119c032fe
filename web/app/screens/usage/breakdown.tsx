import { useMemo, useState } from 'react';
import { type MessageId, type Translate, useT } from '../../i18n.tsx';
import { Section } from '../../kit/section.tsx';
import { Segments } from '../../kit/segments.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import type { Series } from './bar-chart.tsx';
import { Report } from './report-parts.tsx';
import { type Breakdown, type Dimension, dimensions, useBreakdown } from './reports.ts';

/** The largest groups have a part of their own in each bar, in these colors; the last color is for all others. */
const colors = ['--petrol', '--apricot', '--draft', '--petrol-line', '--apricot-line', '--line-ctl'];
const parts = colors.length - 1;

const hints: Partial<Record<Dimension, MessageId>> = {
  domain: 'usage.billed_domain_hint',
  submitted_by: 'usage.billed_submitter_hint',
};

/** Billed characters over time, grouped by one dimension: as a chart, a list, a table and a file. */
export function BilledCharacters() {
  const t = useT();
  const [by, setBy] = useState<Dimension>('target_lang');
  const breakdown = useBreakdown(by);
  return (
    <Section
      title={t('usage.billed')}
      why={t(hints[by] ?? 'usage.billed_hint')}
      aside={
        <Segments
          label={t('usage.by')}
          value={by}
          options={dimensions.map((value) => [value, t(`usage.by_${value}`)])}
          onChange={setBy}
        />
      }
    >
      <Read from={breakdown} lines={18}>
        {(found) =>
          found.groups.length === 0 ? <p>{t('usage.none')}</p> : <Groups key={by} by={by} of={found} />
        }
      </Read>
    </Section>
  );
}

function Groups({ by, of }: { by: Dimension; of: Breakdown }) {
  const t = useT();
  const { utcDay } = useFormat();
  const nameOf = useGroupNames(by);
  const series = useMemo(() => seriesOf(of, nameOf, t), [of, nameOf, t]);
  return (
    <Report
      of={of}
      caption={t('usage.billed_of', { from: utcDay(of.from), to: utcDay(of.to) })}
      group={t(`usage.by_${by}`)}
      unit={t('usage.chars')}
      rows={of.groups.map(({ name, billable_chars }, at) => ({
        key: name ?? '*',
        name: <bdi>{nameOf(name)}</bdi>,
        color: colors[Math.min(at, parts)],
        count: billable_chars,
      }))}
      longest={of.groups[0]?.billable_chars ?? 1}
      series={series}
      table={t('usage.table')}
      file={{
        label: t('usage.export_breakdown'),
        name: `characters-by-${by}`,
        rows: () => [
          ['date', by, 'billable_chars'],
          of.days.flatMap(({ date, billable_chars }) =>
            billable_chars.flatMap((chars, at) =>
              chars === 0 ? [] : [[date, of.groups[at]?.name ?? '*', chars]],
            ),
          ),
        ],
      }}
    />
  );
}

/** Returns the name of a group in the interface language. */
function useGroupNames(by: Dimension): (name: string | null) => string {
  const t = useT();
  const { nameOf } = useLanguages();
  return useMemo(
    () => (name) => {
      if (name === null) return t('usage.others');
      if (by === 'kind') return t(name === 'document' ? 'usage.kind_document' : 'usage.kind_text');
      if (by === 'served_from') return t(servedFrom[name] ?? 'usage.served_engine');
      if (by === 'domain') return name === '' ? t('usage.no_domain') : name;
      if (by === 'submitted_by') return submitterName(name, t);
      return nameOf(name);
    },
    [by, nameOf, t],
  );
}

/** Members are named by their email addresses. A name without `@` is the ID of a member who no longer exists. */
function submitterName(name: string, t: Translate): string {
  if (name === '') return t('usage.submitter_unknown');
  if (name === 'api_key') return t('security.key');
  return name.includes('@') ? name : t('usage.former_member');
}

const servedFrom: Record<string, 'usage.served_tm' | 'usage.served_glossary'> = {
  tm_exact: 'usage.served_tm',
  glossary_exact: 'usage.served_glossary',
};

/** The parts of each bar: the largest groups, and the sum of all others. */
function seriesOf(of: Breakdown, nameOf: (name: string | null) => string, t: Translate): Series[] {
  const single = of.groups.length <= colors.length ? of.groups.length : parts;
  const shown = of.groups.slice(0, single).map(({ name }, at) => ({
    label: nameOf(name),
    color: colors[at] as string,
    values: of.days.map(({ billable_chars }) => billable_chars[at] ?? 0),
  }));
  if (single === of.groups.length) return shown;
  const values = of.days.map(({ billable_chars }) =>
    billable_chars.slice(single).reduce((sum, chars) => sum + chars, 0),
  );
  return [...shown, { label: t('usage.others'), color: colors[parts] as string, values }];
}
