import { X } from 'lucide-react';
import { analyses } from '#sdk/analyses.ts';
import type { Analysis, AnalysisFile } from '#sdk/types.ts';
import { bound } from '../../client.ts';
import { useT } from '../../i18n.tsx';
import { ActionButton } from '../../kit/action-button.tsx';
import { Fill, Row } from '../../kit/box.tsx';
import { type Column, DataTable } from '../../kit/data-table.tsx';
import { IconButton } from '../../kit/icon-button.tsx';
import { Text } from '../../kit/text.tsx';
import { announce } from '../../parts/announcer.tsx';
import { useFormat } from '../../parts/format.ts';
import { FormatBadge } from '../../parts/format-badge.tsx';
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
  return (
    <Row as="span">
      <FormatBadge name={name} />
      <Text as="bdi" weight="semi" translate="no">
        {name}
      </Text>
    </Row>
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
  const columns = useColumns({ parts: partsOf(estimate.totals), unit, places, leftOut, onSelect });
  const isSelected = (key: string) => !leftOut.has(key);
  return (
    <DataTable
      caption={t('estimates.one')}
      isDense
      columns={columns}
      keyOf={({ key }) => key}
      groups={estimate.files
        .filter(({ state }) => state !== 'refused')
        .map((file) => {
          const rows = file.languages.map((cell) => ({ file, cell, key: keyOf(file, cell) }));
          return {
            key: file.id,
            rows,
            head: (
              <FileHead
                estimateId={estimate.id}
                file={file}
                isSelected={rows.some(({ key }) => isSelected(key))}
                onSelect={(isChosen) =>
                  onSelect(
                    rows.map(({ key }) => key),
                    isChosen,
                  )
                }
              />
            ),
          };
        })}
    />
  );
}

/** A file in a language. */
interface CountedCell {
  file: AnalysisFile;
  cell: AnalysisFile['languages'][number];
  key: string;
}

function useColumns({
  parts,
  unit,
  places,
  leftOut,
  onSelect,
}: { parts: readonly Part[] } & Pick<
  Parameters<typeof EstimateTable>[0],
  'unit' | 'places' | 'leftOut' | 'onSelect'
>): Column<CountedCell>[] {
  const t = useT();
  const { number, span } = useFormat();
  const { nameOf } = useLanguages();
  const figure = (title: string, count: (cell: CountedCell['cell']) => number): Column<CountedCell> => ({
    ...{ title, isNumeric: true },
    cell: ({ cell }) => number(count(cell)),
  });
  return [
    {
      title: t('estimates.file_and_language'),
      isName: true,
      least: 16,
      cell: ({ file: { name }, cell, key }) => {
        const language = nameOf(cell.target_lang);
        return (
          <Row isTight isFilling gap={3}>
            <input
              type="checkbox"
              aria-label={t('estimates.select', { name, language })}
              checked={!leftOut.has(key)}
              onChange={({ target }) => onSelect([key], target.checked)}
            />
            <Fill>
              {language}
              {cell.review !== 'usual' && (
                <span className="hint">{t(`estimates.review_${cell.review}`)}</span>
              )}
            </Fill>
            <Fill least={5}>
              <PartsBar parts={parts} counts={cell} unit={unit} />
            </Fill>
          </Row>
        );
      },
    },
    { ...figure(t('estimates.unit_segments'), ({ segments }) => segments), isWideOnly: true },
    figure(t('estimates.unit_words'), ({ words }) => words),
    ...parts.map(
      (part): Column<CountedCell> => ({
        title: partName(part, t),
        head: <span title={part.why && t(part.why)}>{partName(part, t)}</span>,
        ...{ isNumeric: true, isWideOnly: true },
        cell: ({ cell }) => {
          const count = part.of(cell, unit);
          return count === 0 ? <Text tone="faint">–</Text> : number(count);
        },
      }),
    ),
    figure(t('estimates.billed'), ({ billable_characters }) => billable_characters),
    {
      title: t('estimates.use'),
      cell: ({ cell, key }) => {
        const covered = places.get(key)?.covered ?? cell.covered;
        return leftOut.has(key) ? null : (
          <Row as="span" gap={1} isTight>
            <StatusMark status={covered === 'beyond' ? 'todo' : 'confirmed'} size={14} />
            {t(`estimates.${covered}`)}
          </Row>
        );
      },
    },
    {
      ...{ title: t('estimates.duration'), isNumeric: true, isWideOnly: true },
      cell: ({ cell: { seconds } }) => (seconds === null ? '–' : span(seconds)),
    },
  ];
}

/** That a file is counted as a new version of an earlier one, and the way to make it another file and back. */
function Version({ estimateId, file: { id, name, state, languages } }: InEstimate) {
  const t = useT();
  const { day } = useFormat();
  const versions = languages.flatMap(({ version }) => version ?? []);
  const [first] = versions;
  if (!first) return null;
  const isUsed = versions.some(({ used }) => used);
  const change = async () => void keep(await bound(analyses).setVersion(estimateId, id, !isUsed));
  return (
    <>
      <Text tone="soft" weight="regular">
        {t(isUsed ? 'estimates.version' : 'estimates.no_version', { when: day(first.created_at) })}
      </Text>
      {state === 'counted' && (
        <ActionButton
          className="small"
          aria-label={`${t(isUsed ? 'estimates.as_new' : 'estimates.as_version')}: ${name}`}
          onRun={change}
        >
          {t(isUsed ? 'estimates.as_new' : 'estimates.as_version')}
        </ActionButton>
      )}
    </>
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
      <IconButton label={t('estimates.remove', { name })} aria-disabled={isBusy} onClick={remove}>
        <X size={15} aria-hidden />
      </IconButton>
    </>
  );
}

/** The head of a file's rows. */
function FileHead({
  estimateId,
  file,
  isSelected,
  onSelect,
}: InEstimate & { isSelected: boolean; onSelect: (isSelected: boolean) => void }) {
  const t = useT();
  const { name, languages, image_pages, state } = file;
  return (
    <Row isFilling gap={3}>
      <label className="check">
        <input
          type="checkbox"
          aria-label={t('estimates.select_file', { name })}
          disabled={languages.length === 0}
          checked={isSelected}
          onChange={({ target }) => onSelect(target.checked)}
        />
        <FileName name={name} />
      </label>
      <Version estimateId={estimateId} file={file} />
      {image_pages > 0 && (
        <Text size="xs" tone="faint">
          {t('estimates.image_pages', { count: image_pages })}
        </Text>
      )}
      {state === 'waiting' && (
        <Row as="span" gap={1}>
          <Running size={14} /> {t('estimates.waiting')}
        </Row>
      )}
      <Fill />
      <RemoveFile estimateId={estimateId} file={file} />
    </Row>
  );
}
