import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import type { QualityCalibration, QualityReport, QualityShare } from '#sdk/types.ts';
import { useT } from '../../i18n.tsx';
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
          <div className={styles['report']}>
            <Worth of={found} />
            <Bands of={found} />
            <Minimums of={found} />
            <Groups of={found} />
            <Read from={calibrations}>{(known) => <Agreement of={known} />}</Read>
          </div>
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
    <section className={`card ${styles['worth']}`} aria-labelledby="worth">
      <h2 id="worth" className="visually-hidden">
        {t('quality.view_report')}
      </h2>
      <div>
        {no_change ? (
          <>
            <p className={styles['claim']}>
              {t('quality.claim', { minimum: number(minimum), share: percent(no_change.share) })}
            </p>
            <p className="hint">
              {t('quality.claim_range', {
                ...range(no_change, percent),
                checks: number(checks),
                texts: number(published),
              })}
            </p>
            {major && (
              <p>{t('quality.claim_major', { share: percent(major.share), ...range(major, percent) })}</p>
            )}
          </>
        ) : (
          <>
            <p className={styles['claim']}>{t('quality.few', { missing: min_checks - checks })}</p>
            <p className="hint">{t('quality.few_why', { least: min_checks, texts: number(published) })}</p>
          </>
        )}
        {open + skipped > 0 && (
          <p className="hint">{t('quality.left', { open: number(open), skipped: number(skipped) })}</p>
        )}
      </div>
      <OtherMinimum of={report} />
    </section>
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
  const id = useId();
  const { days } = usePeriod();
  const present = minimums.findIndex((one) => one.minimum === minimum);
  const [at, setAt] = useState(Math.min(present + 1, minimums.length - 1));
  const [now, other] = [minimums[present], minimums[at]];
  if (!now || !other) return null;
  const more = Math.round(((other.to_review - now.to_review) * 30) / days);
  return (
    <div className={styles['other']}>
      <label htmlFor={id}>{t('quality.try_minimum')}</label>
      <div className={styles['slider']}>
        <input
          id={id}
          type="range"
          min={0}
          max={minimums.length - 1}
          value={at}
          aria-valuetext={number(other.minimum)}
          onChange={({ target }) => setAt(Number(target.value))}
        />
        <output htmlFor={id}>{number(other.minimum)}</output>
      </div>
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
    </div>
  );
}

/** The results of checks by score. */
function Bands({ of: { bands } }: { of: QualityReport }) {
  const t = useT();
  const { number, percent } = useFormat();
  const kinds = ['none', 'minor', 'changed', 'major'] as const;
  return (
    <section className="card" aria-labelledby="bands">
      <div className={styles['head']}>
        <h2 id="bands">{t('quality.bands')}</h2>
        <p className={styles['legend']} aria-hidden>
          {kinds.map((kind) => (
            <span key={kind}>
              <i data-kind={kind} />
              {t(`quality.kind_${kind}`)}
            </span>
          ))}
        </p>
      </div>
      {bands.length === 0 ? (
        <p>{t('quality.no_texts')}</p>
      ) : (
        <div className="table-scroll">
          <table className={styles['table']}>
            <thead>
              <tr>
                <th scope="col">{t('quality.score')}</th>
                <th scope="col" className={styles['start']}>
                  {t('quality.results')}
                </th>
                <th scope="col">{t('quality.unchanged')}</th>
                <th scope="col">{t('quality.checked')}</th>
                <th scope="col">{t('quality.published')}</th>
                <th scope="col">{t('quality.held')}</th>
              </tr>
            </thead>
            <tbody>
              {bands.map((band) => (
                <tr key={band.from}>
                  <th scope="row">{`${number(band.from)}–${number(band.to)}`}</th>
                  <td>
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
                  </td>
                  <td>
                    {band.no_change ? percent(band.no_change.share) : '–'}
                    {band.no_change && <small>{t('quality.range', range(band.no_change, percent))}</small>}
                  </td>
                  <td>{number(band.checks)}</td>
                  <td>{number(band.published)}</td>
                  <td>{number(band.held_for_score + band.held)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Minimums({ of: { minimums, minimum } }: { of: QualityReport }) {
  const t = useT();
  const { number, percent } = useFormat();
  return (
    <section className="card" aria-labelledby="minimums">
      <h2 id="minimums">{t('quality.minimums')}</h2>
      <div className="table-scroll">
        <table className={styles['table']}>
          <thead>
            <tr>
              <th scope="col">{t('quality.minimum')}</th>
              <th scope="col">{t('quality.published')}</th>
              <th scope="col">{t('quality.unchanged')}</th>
              <th scope="col">{t('quality.major_errors')}</th>
              <th scope="col">{t('quality.to_review')}</th>
            </tr>
          </thead>
          <tbody>
            {minimums.map((one) => (
              <tr key={one.minimum} aria-current={one.minimum === minimum || undefined}>
                <th scope="row">
                  {number(one.minimum)}
                  {one.minimum === minimum && <small>{t('quality.now')}</small>}
                </th>
                <td>{number(one.published)}</td>
                <td>{one.no_change ? percent(one.no_change.share) : '–'}</td>
                <td>{one.major_texts === null ? '–' : number(Math.round(one.major_texts))}</td>
                <td>{number(one.to_review)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="hint">{t('quality.minimums_hint')}</p>
    </section>
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
      <section key={title} className="card" aria-label={t(title)}>
        <h2>{t(title)}</h2>
        <ul className={styles['groups']}>
          {of.map(({ name, no_change, checks, published }) => (
            <li key={name}>
              <span>{name}</span>
              {no_change ? (
                <>
                  <Range of={no_change} />
                  <b>{percent(no_change.share)}</b>
                </>
              ) : (
                <span className="hint">{t('quality.few', { missing: min_checks - checks })}</span>
              )}
              <small>{t('quality.of_texts', { checks: number(checks), texts: number(published) })}</small>
            </li>
          ))}
        </ul>
      </section>
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
    <section className="card" aria-labelledby="agreement">
      <h2 id="agreement">{t('quality.agreement')}</h2>
      <p className="hint">{t('quality.agreement_hint')}</p>
      <div className="table-scroll">
        <table className={styles['table']}>
          <thead>
            <tr>
              <th scope="col">{t('quality.language')}</th>
              <th scope="col">{t('quality.agreement_share')}</th>
              {scores.map((score) => (
                <th scope="col" key={score}>
                  {t('quality.at_score', { score: number(score) })}
                </th>
              ))}
              <th scope="col">{t('quality.checked')}</th>
            </tr>
          </thead>
          <tbody>
            {of.map(({ target_lang, agreement, steps, checks }) => (
              <tr key={target_lang}>
                <th scope="row">{nameOf(target_lang)}</th>
                <td>
                  {agreement ? percent(agreement.share) : '–'}
                  {agreement && <small>{t('quality.range', range(agreement, percent))}</small>}
                  {agreement && agreement.low <= 0.5 && (
                    <small className={styles['warning']}>
                      {t(agreement.high < 0.5 ? 'quality.below_chance' : 'quality.like_chance')}
                    </small>
                  )}
                </td>
                {scores.map((score) => {
                  const step = steps.findLast((one) => one.score <= score);
                  return <td key={score}>{step ? percent(step.value) : '–'}</td>;
                })}
                <td>{number(checks)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
