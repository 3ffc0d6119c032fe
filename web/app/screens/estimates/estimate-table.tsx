import { X } from 'lucide-react';
import { analyses } from '#sdk/analyses.ts';
import type { Analysis, AnalysisFile } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { useLanguages } from '../../parts/languages.tsx';
import { Problem } from '../../parts/problem.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { useAction } from '../../parts/use-action.ts';
import { Running } from '../documents/running.tsx';
import { keyOf, type Part, type Place, partName, partsOf, type Unit } from './counts.ts';
import styles from './estimates.module.css';
import { keep } from './uploads.ts';

/** The parts of the texts as a bar. The numbers stand next to it, so screen readers ignore it. */
export function PartsBar({
  parts,
  counts,
  unit,
  isLarge,
}: {
  parts: readonly Part[];
  counts: Parameters<Part['of']>[0];
  unit: Unit;
  isLarge?: boolean;
}) {
  const all = Math.max(1, counts[unit]);
  return (
    <span className={styles.parts} data-large={isLarge || undefined} aria-hidden>
      {parts.map((part) => {
        const share = part.of(counts, unit) / all;
        return share > 0 ? (
          <i key={part.id} data-part={part.id} style={{ inlineSize: `${100 * share}%` }} />
        ) : null;
      })}
    </span>
  );
}

/** The format and the name of a file. */
export function FileName({ name }: { name: string }) {
  const [, extension] = /\.(\w{1,5})$/.exec(name) ?? [];
  return (
    <span className={styles.file}>
      {extension && (
        <span className={styles.format} translate="no">
          {extension.toLowerCase()}
        </span>
      )}
      <bdi translate="no">{name}</bdi>
    </span>
  );
}

/**
 * The counts of files in languages, before they are started. Each file is a group of rows.
 * @param places the rows that can be started
 */
export function EstimateTable({
  estimate,
  unit,
  places,
  leftOut,
  onSelect,
}: {
  estimate: Analysis;
  unit: Unit;
  places: ReadonlyMap<string, Place>;
  leftOut: ReadonlySet<string>;
  onSelect: (keys: readonly string[], isSelected: boolean) => void;
}) {
  const t = useT();
  const parts = partsOf(estimate.totals);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable with the keyboard
    <section className={styles.scroll} tabIndex={0} aria-label={t('estimates.one')}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{t('estimates.file_and_language')}</th>
            <th scope="col" data-part-column>
              {t('estimates.unit_segments')}
            </th>
            <th scope="col">{t('estimates.unit_words')}</th>
            {parts.map((part) => (
              <th key={part.id} scope="col" data-part-column title={part.why && t(part.why)}>
                {partName(part, t)}
              </th>
            ))}
            <th scope="col">{t('estimates.billed')}</th>
            <th scope="col">{t('estimates.use')}</th>
            <th scope="col" data-part-column>
              {t('estimates.duration')}
            </th>
          </tr>
        </thead>
        {estimate.files
          .filter(({ state }) => state !== 'refused')
          .map((file) => (
            <FileRows
              key={file.id}
              estimateId={estimate.id}
              file={file}
              parts={parts}
              unit={unit}
              places={places}
              leftOut={leftOut}
              onSelect={onSelect}
            />
          ))}
      </table>
    </section>
  );
}

/** That a file is counted as a new version of an earlier one, and the way to make it another file and back. */
function Version({ estimateId, file: { id, name, state, languages } }: InEstimate) {
  const t = useT();
  const { day } = useFormat();
  const { run, error, isBusy } = useAction();
  const versions = languages.flatMap(({ version }) => version ?? []);
  const [first] = versions;
  if (!first) return null;
  const isUsed = versions.some(({ used }) => used);
  const change = run(async () => void keep(await bound(analyses).setVersion(estimateId, id, !isUsed)));
  return (
    <span className={styles.version}>
      {t(isUsed ? 'estimates.version' : 'estimates.no_version', { when: day(first.created_at) })}
      {state === 'counted' && (
        <button
          type="button"
          className="small"
          aria-label={`${t(isUsed ? 'estimates.as_new' : 'estimates.as_version')}: ${name}`}
          disabled={isBusy}
          onClick={change}
        >
          {t(isUsed ? 'estimates.as_new' : 'estimates.as_version')}
        </button>
      )}
      {error !== undefined && <Problem error={error} />}
    </span>
  );
}

interface InEstimate {
  estimateId: string;
  file: AnalysisFile;
}

/** Removes a file, which is not sent yet, from the estimate. */
export function RemoveFile({ estimateId, file: { id, name } }: InEstimate) {
  const t = useT();
  const { run, error, isBusy } = useAction();
  const remove = run(async () => {
    keep(await bound(analyses).removeFile(estimateId, id));
    announce(t('estimates.removed', { name }));
    // The button that had the focus is gone.
    document.querySelector<HTMLElement>('main')?.focus();
  });
  return (
    <>
      {error !== undefined && <Problem error={error} />}
      <button
        type="button"
        className="ghost icon"
        aria-label={t('estimates.remove', { name })}
        title={t('estimates.remove', { name })}
        disabled={isBusy}
        onClick={remove}
      >
        <X size={15} aria-hidden />
      </button>
    </>
  );
}

function FileRows({
  estimateId,
  file,
  parts,
  unit,
  places,
  leftOut,
  onSelect,
}: {
  parts: readonly Part[];
} & InEstimate &
  Pick<Parameters<typeof EstimateTable>[0], 'unit' | 'places' | 'leftOut' | 'onSelect'>) {
  const t = useT();
  const { number, span } = useFormat();
  const { nameOf } = useLanguages();
  const { name, languages } = file;
  const keys = languages.map((cell) => keyOf(file, cell));
  return (
    <tbody>
      <tr data-file>
        <th scope="rowgroup" colSpan={parts.length + 6}>
          <div className={styles.group}>
            <label>
              <input
                type="checkbox"
                aria-label={t('estimates.select_file', { name })}
                disabled={keys.length === 0}
                checked={keys.some((key) => !leftOut.has(key))}
                onChange={({ target }) => onSelect(keys, target.checked)}
              />
              <FileName name={name} />
            </label>
            {file.languages.some(({ version }) => version) && <Version estimateId={estimateId} file={file} />}
            {file.image_pages > 0 && <small>{t('estimates.image_pages', { count: file.image_pages })}</small>}
            {file.state === 'waiting' && (
              <span className={styles.state}>
                <Running size={14} /> {t('estimates.waiting')}
              </span>
            )}
            <RemoveFile estimateId={estimateId} file={file} />
          </div>
        </th>
      </tr>
      {languages.map((cell) => {
        const key = keyOf(file, cell);
        const language = nameOf(cell.target_lang);
        const covered = places.get(key)?.covered ?? cell.covered;
        return (
          <tr key={key}>
            <th scope="row">
              <label>
                <input
                  type="checkbox"
                  aria-label={t('estimates.select', { name, language })}
                  checked={!leftOut.has(key)}
                  onChange={({ target }) => onSelect([key], target.checked)}
                />
                <span className={styles.language}>
                  {language}
                  {cell.review !== 'usual' && <small>{t(`estimates.review_${cell.review}`)}</small>}
                </span>
                <PartsBar parts={parts} counts={cell} unit={unit} />
              </label>
            </th>
            <td data-part-column>{number(cell.segments)}</td>
            <td>{number(cell.words)}</td>
            {parts.map((part) => {
              const count = part.of(cell, unit);
              return (
                <td key={part.id} data-part-column data-zero={count === 0 || undefined}>
                  {count === 0 ? '–' : number(count)}
                </td>
              );
            })}
            <td>{number(cell.billable_characters)}</td>
            <td>
              {!leftOut.has(key) && (
                <span className={styles.state}>
                  <StatusMark status={covered === 'beyond' ? 'todo' : 'confirmed'} size={14} />
                  {t(`estimates.${covered}`)}
                </span>
              )}
            </td>
            <td data-part-column>{cell.seconds === null ? '–' : span(cell.seconds)}</td>
          </tr>
        );
      })}
    </tbody>
  );
}
