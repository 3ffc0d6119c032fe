import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { QualityCalibration, QualityReport, QualityShare } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
import { Grid, Row, Stack } from '../../kit/box.tsx';
import { Card } from '../../kit/card.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Field } from '../../kit/field.tsx';
import { Section } from '../../kit/section.tsx';
import { Text } from '../../kit/text.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Read } from '../../parts/loading.tsx';
import { procedures } from '../../procedures.ts';
import { queryKeys } from '../../query-keys.ts';
import { PeriodChoice, usePeriod } from './period.tsx';
import styles from './quality.module.css';

/** The share of published texts that need no change, by score, minimum score and language. */
export function GateReport() {
  const { query } = usePeriod();
  const report = useQuery({
    queryKey: queryKeys.quality.report(query),
    queryFn: () => procedures.quality.report.query(query),
  });
  const calibrations = useQuery({
    queryKey: queryKeys.quality.calibrations,
    queryFn: () => procedures.quality.calibrations.query(),
  });
  return (
    <>
      <PeriodChoice />
      <Read from={report} lines={12}>
        {(found) => (
          <>
            <Worth of={found} />
            <Grid least={30} align="start">
              <Bands of={found} />
              <Minimums of={found} />
              <Groups of={found} />
              <Read from={calibrations}>{(known) => <Agreement of={known} />}</Read>
            </Grid>
          </>
        )}
      </Read>
    </>
  );
}

function Worth({ of: report }: { of: QualityReport }) {
  const t = useT();
  const { number, percent } = useFormat();
  const { no_change, major, checks, published, minimum, min_checks, open, skipped } = report;
  return (
    <Card as="section" aria-label={t('quality.view_report')}>
      <Grid least={22} gap={6} align="start">
        <Stack gap={2}>
          <Text as="p" size="xl">
            {no_change
              ? t('quality.claim', { minimum: number(minimum), share: percent(no_change.share) })
              : t('quality.few', { missing: min_checks - checks })}
          </Text>
          <p className="hint">
            {no_change
              ? t('quality.claim_range', {
                  ...range(no_change, percent),
                  checks: number(checks),
                  texts: number(published),
                })
              : t('quality.few_why', { least: min_checks, texts: number(published) })}
          </p>
          {no_change && major && (
            <p>{t('quality.claim_major', { share: percent(major.share), ...range(major, percent) })}</p>
          )}
          {open + skipped > 0 && (
            <p className="hint">{t('quality.left', { open: number(open), skipped: number(skipped) })}</p>
          )}
        </Stack>
        <OtherMinimum of={report} />
      </Grid>
    </Card>
  );
}

const range = ({ low, high }: QualityShare, percent: (share: number) => string) => ({
  low: percent(low),
  high: percent(high),
});

/** Says what another minimum score would do. */
function OtherMinimum({ of: { minimums, minimum, to } }: { of: QualityReport }) {
  const t = useT();
  const { number, percent } = useFormat();
  const { days } = usePeriod();
  const present = minimums.findIndex((one) => one.minimum === minimum);
  const [at, setAt] = useState(Math.min(present + 1, minimums.length - 1));
  const [now, other] = [minimums[present], minimums[at]];
  if (!now || !other) return null;
  const more = Math.round(((other.to_review - now.to_review) * 30) / days);
  return (
    <Stack gap={2}>
      <Field
        label={t('quality.try_minimum')}
        aside={
          <Text weight="semi" isNumeric>
            {number(other.minimum)}
          </Text>
        }
        type="range"
        min={0}
        max={minimums.length - 1}
        value={String(at)}
        aria-valuetext={number(other.minimum)}
        onValue={(value) => setAt(Number(value))}
      />
      <p>
        {other.fewer_major === null
          ? t('quality.major_unknown')
          : t(other.fewer_major < 0 ? 'quality.more_major' : 'quality.fewer_major', {
              share: percent(Math.abs(other.fewer_major)),
              later: number(Math.round(other.major_texts ?? 0)),
              now: number(Math.round(now.major_texts ?? 0)),
            })}
      </p>
      <p>
        {more >= 0
          ? t('quality.more_reviews', { texts: more })
          : t('quality.fewer_reviews', { texts: -more })}
      </p>
      <p className="hint">{t('quality.set_minimum', { minimum: number(other.minimum), to })}</p>
    </Stack>
  );
}

/** The results of checks by score. */
function Bands({ of: { bands } }: { of: QualityReport }) {
  const t = useT();
  const { number } = useFormat();
  const kinds = ['none', 'minor', 'changed', 'major'] as const;
  return (
    <Section
      title={t('quality.bands')}
      aside={
        <Row gap={3} aria-hidden>
          {kinds.map((kind) => (
            <Text key={kind} size="xs" tone="soft" className={styles['legend']}>
              <i data-kind={kind} /> {t(`quality.kind_${kind}`)}
            </Text>
          ))}
        </Row>
      }
    >
      {bands.length === 0 ? (
        <p>{t('quality.no_texts')}</p>
      ) : (
        <DataTable
          caption={t('quality.bands')}
          isDense
          rows={bands}
          keyOf={({ from }) => String(from)}
          columns={[
            {
              title: t('quality.score'),
              isName: true,
              cell: ({ from, to }) => `${number(from)}–${number(to)}`,
            },
            {
              title: t('quality.results'),
              cell: (band) => (
                <span
                  className={styles['stack']}
                  role="img"
                  aria-label={kinds
                    .map((kind) => `${t(`quality.kind_${kind}`)}: ${number(band[kind])}`)
                    .join(', ')}
                >
                  {kinds.map((kind) => (
                    <i key={kind} data-kind={kind} style={{ flexGrow: band[kind] }} />
                  ))}
                </span>
              ),
            },
            {
              title: t('quality.unchanged'),
              isNumeric: true,
              cell: ({ no_change }) => <Share of={no_change} />,
            },
            { title: t('quality.checked'), isNumeric: true, cell: ({ checks }) => number(checks) },
            { title: t('quality.published'), isNumeric: true, cell: ({ published }) => number(published) },
            {
              title: t('quality.held'),
              isNumeric: true,
              cell: ({ held_for_score, held }) => number(held_for_score + held),
            },
          ]}
        />
      )}
    </Section>
  );
}

/** A share with its range, if there are enough checks. */
function Share({ of }: { of: QualityShare | null }) {
  const t = useT();
  const { percent } = useFormat();
  if (!of) return '–';
  return (
    <>
      {percent(of.share)}
      <span className="hint">{t('quality.range', range(of, percent))}</span>
    </>
  );
}

function Minimums({ of: { minimums, minimum } }: { of: QualityReport }) {
  const t = useT();
  const { number, percent } = useFormat();
  return (
    <Section title={t('quality.minimums')}>
      <DataTable
        rows={minimums}
        keyOf={(one) => String(one.minimum)}
        isChosen={(one) => one.minimum === minimum}
        columns={[
          {
            title: t('quality.minimum'),
            isName: true,
            cell: (one) => (
              <>
                {number(one.minimum)}
                {one.minimum === minimum && <span className="hint">{t('quality.now')}</span>}
              </>
            ),
          },
          { title: t('quality.published'), isNumeric: true, cell: ({ published }) => number(published) },
          {
            title: t('quality.unchanged'),
            isNumeric: true,
            cell: ({ no_change }) => (no_change ? percent(no_change.share) : '–'),
          },
          {
            title: t('quality.major_errors'),
            isNumeric: true,
            cell: ({ major_texts }) => (major_texts === null ? '–' : number(Math.round(major_texts))),
          },
          { title: t('quality.to_review'), isNumeric: true, cell: ({ to_review }) => number(to_review) },
        ]}
      />
      <p className="hint">{t('quality.minimums_hint')}</p>
    </Section>
  );
}

/** The published texts by language and by domain. */
function Groups({ of: { languages, domains, min_checks } }: { of: QualityReport }) {
  const t = useT();
  const { number, percent } = useFormat();
  const { nameOf } = useLanguages();
  const rows = [
    {
      title: 'quality.by_language' as const,
      of: languages.map((one) => ({ ...one, name: nameOf(one.target_lang) })),
    },
    {
      title: 'quality.by_domain' as const,
      of: domains.map((one) => ({ ...one, name: one.domain || t('quality.no_domain') })),
    },
  ];
  return rows.map(({ title, of }) =>
    of.length === 0 ? null : (
      <Section key={title} title={t(title)}>
        <Stack as="ul">
          {of.map(({ name, no_change, checks, published }) => (
            <li key={name}>
              <Row justify="space-between">
                <span>{name}</span>
                {no_change ? (
                  <b>{percent(no_change.share)}</b>
                ) : (
                  <span className="hint">{t('quality.few', { missing: min_checks - checks })}</span>
                )}
              </Row>
              {no_change && <Range of={no_change} />}
              <Text size="xs" tone="soft">
                {t('quality.of_texts', { checks: number(checks), texts: number(published) })}
              </Text>
            </li>
          ))}
        </Stack>
      </Section>
    ),
  );
}

/** A share from 50 to 100 %, with its interval. */
function Range({ of: { share, low, high } }: { of: QualityShare }) {
  const at = (value: number) => `${Math.max(0, (value - 0.5) * 200)}%`;
  return (
    <span className={styles['range']} aria-hidden>
      <i style={{ insetInlineStart: at(low), insetInlineEnd: `${100 - (high - 0.5) * 200}%` }} />
      <b style={{ insetInlineStart: at(share) }} />
    </span>
  );
}

/** How well the scores of the judge predict what people decide. */
function Agreement({ of }: { of: QualityCalibration[] }) {
  const t = useT();
  const { number, percent } = useFormat();
  const { nameOf } = useLanguages();
  if (of.length === 0) return null;
  const scores = [70, 80, 85, 90, 95];
  return (
    <Section title={t('quality.agreement')} why={t('quality.agreement_hint')}>
      <DataTable
        rows={of}
        keyOf={({ target_lang }) => target_lang}
        columns={[
          { title: t('quality.language'), isName: true, cell: ({ target_lang }) => nameOf(target_lang) },
          {
            title: t('quality.agreement_share'),
            isNumeric: true,
            cell: ({ agreement }) => (
              <>
                <Share of={agreement} />
                {agreement && agreement.low <= 0.5 && (
                  <Text as="div" size="xs" tone="warn">
                    {t(agreement.high < 0.5 ? 'quality.below_chance' : 'quality.like_chance')}
                  </Text>
                )}
              </>
            ),
          },
          ...scores.map((score) => ({
            title: t('quality.at_score', { score: number(score) }),
            isNumeric: true,
            cell: ({ steps }: QualityCalibration) => {
              const step = steps.findLast((one) => one.score <= score);
              return step ? percent(step.value) : '–';
            },
          })),
          { title: t('quality.checked'), isNumeric: true, cell: ({ checks }) => number(checks) },
        ]}
      />
    </Section>
  );
}
