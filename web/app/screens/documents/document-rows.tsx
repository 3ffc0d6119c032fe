import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { FileView } from '#sdk/file-types.ts';
import { type LayoutKind, layoutKinds } from '#server/formats/layout-kinds.ts';
import { useAssignments } from '../../assignments/assignments.ts';
import { useInterface, useT } from '../../i18n.tsx';
import { Row, Stack } from '../../kit/box.tsx';
import { DataTable } from '../../kit/data-table.tsx';
import { Text } from '../../kit/text.tsx';
import { fileFailureText } from '../../parts/file-failure.ts';
import { useFormat } from '../../parts/format.ts';
import { reviewerName, useMemberNames } from '../../parts/member-name.tsx';
import { StatusMark } from '../../parts/status-mark.tsx';
import { TranslateAgain } from '../../parts/translate-again.tsx';
import { isVisitor } from '../../session/keeper.ts';
import { useMe } from '../../session/use-me.ts';
import { DownloadButton } from './download-files.tsx';
import styles from './files.module.css';
import { type FileGroup, isTranslated, percentOf, sharesOf, stateOf } from './files.ts';
import { LanguageChips } from './language-chips.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { useProgress } from './use-progress.ts';

const minute = 60_000;
const steps = [
  ['minute', minute],
  ['hour', 60 * minute],
  ['day', 24 * 60 * minute],
] as const;

/** After this time, the date is shown. */
const recent = 7 * 24 * 60 * minute;

/** How long ago something happened, such as `5 hours ago` or `yesterday`; after a week, the date. @param at ISO 8601 */
function Age({ at }: { at: string }) {
  const { locale } = useInterface();
  const { day, moment } = useFormat();
  const passed = Math.max(0, Date.now() - Date.parse(at));
  const [unit, length] = steps.findLast(([, length]) => passed >= length) ?? steps[0];
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
  return (
    <time dateTime={at} title={moment(at)}>
      {passed > recent ? day(at) : relative.format(-Math.floor(passed / length), unit)}
    </time>
  );
}

/** Files as a table. Files can be selected, and approved, downloaded or deleted together. */
export function DocumentRows({ groups }: { groups: readonly FileGroup[] }) {
  const t = useT();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const progress = useProgress(groups.flatMap(({ translations }) => translations));
  const reviewed = groups.flatMap(({ translations }) =>
    translations.filter((file) => stateOf(file) === 'needs_review'),
  );
  const { data } = useAssignments(reviewed.map(({ id }) => ({ kind: 'document', id })));
  const assignments = new Map(data?.map((one) => [one.id, one]));
  const isChosen = ({ translations }: FileGroup) => translations.every(({ id }) => chosen.has(id));
  const choose = (of: readonly FileGroup[], isSelected: boolean) =>
    setChosen((before) => {
      const ids = of.flatMap(({ translations }) => translations.map(({ id }) => id));
      return new Set(isSelected ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id)));
    });
  const selected = groups.filter(isChosen);
  return (
    <>
      <DataTable
        rows={groups}
        keyOf={({ id }) => id}
        isChosen={isChosen}
        columns={[
          {
            title: t('documents.choose_all'),
            head: (
              <input
                type="checkbox"
                hidden={isVisitor()}
                aria-label={t('documents.choose_all')}
                checked={selected.length === groups.length}
                onChange={({ target }) => choose(groups, target.checked)}
              />
            ),
            cell: (group) => (
              <input
                type="checkbox"
                hidden={isVisitor()}
                aria-label={t('documents.choose', { name: group.name })}
                checked={isChosen(group)}
                onChange={({ target }) => choose([group], target.checked)}
              />
            ),
          },
          {
            title: t('documents.file'),
            isName: true,
            least: 15,
            cell: (group) => <FileName group={group} />,
          },
          {
            title: t('documents.into'),
            wraps: true,
            cell: ({ translations }) => <LanguageChips {...{ translations, progress, assignments }} />,
          },
          {
            title: t('documents.confirmed_share'),
            least: 9,
            cell: ({ translations }) => <SegmentShares translations={translations} />,
          },
          {
            title: t('documents.changed'),
            cell: ({ translations: [latest] }) => <Age at={latest.updated_at} />,
          },
          {
            title: t('documents.changed_by'),
            wraps: true,
            cell: ({ translations: [latest] }) => <ChangedBy file={latest} />,
          },
        ]}
        actions={{
          title: t('documents.download'),
          cell: ({ translations, name }) =>
            translations.some(isTranslated) && <DownloadButton files={translations} name={name} />,
        }}
      />
      <SelectionBar groups={selected} onDone={() => setChosen(new Set())} />
    </>
  );
}

/** The name of a file, which opens its latest translation, its size, and why it failed. */
function FileName({ group }: { group: FileGroup }) {
  const t = useT();
  const { name, format, translations } = group;
  const [latest] = translations;
  const failed = translations.find((one) => one.failure !== null);
  return (
    <Row isTight gap={4}>
      <Thumbnail format={format} />
      <Stack gap={0} align="start">
        <Text size="md" weight="semi">
          <Link to="/app/edit/documents/$documentId" params={{ documentId: latest.id }}>
            <bdi translate="no">{name}</bdi>
          </Link>
        </Text>
        <Size group={group} />
        {failed?.failure && (
          <>
            <Text as="bdi" size="xs" tone="crit" title={failed.failure.message}>
              {fileFailureText(failed.failure, t)}
            </Text>
            {failed.status === 'failed' && <TranslateAgain id={failed.id} code={failed.failure.code} />}
          </>
        )}
      </Stack>
    </Row>
  );
}

/** The number of segments, and of pages or sheets, as far as they are known. */
function Size({ group: { format, translations } }: { group: FileGroup }) {
  const t = useT();
  const { number } = useFormat();
  // Of a translation that has just begun, the numbers are not known yet.
  const { segments, pages } = translations.find((one) => one.segments > 0) ?? translations[0];
  const { places } = layoutKinds[format];
  const unit =
    places === 'sheet' || places === 'slide'
      ? (`documents.${places}_count` as const)
      : 'documents.page_count';
  const parts = [
    ...(segments > 0 ? [t('documents.segment_count', { count: segments, shown: number(segments) })] : []),
    ...(pages ? [t(unit, { count: pages, shown: number(pages) })] : []),
  ];
  return (
    <Text size="xs" tone="soft">
      {parts.join(' · ')}
    </Text>
  );
}

function ChangedBy({ file: { changed_by: by, changed_by_claimed: isClaimed } }: { file: FileView }) {
  const t = useT();
  const me = useMe();
  const nameOf = useMemberNames();
  if (by === null) return null;
  if (!isClaimed && by === me.data?.user.email) return t('documents.you');
  return <bdi translate="no">{isClaimed ? reviewerName(by, { name: null }, t) : nameOf(by)}</bdi>;
}

/** The share of confirmed segments as a text and a bar, which also shows the segments with findings. */
function SegmentShares({ translations }: { translations: readonly FileView[] }) {
  const t = useT();
  const shares = sharesOf(translations);
  if (shares.total === 0) return null;
  const isApproved = translations.every((file) => stateOf(file) === 'approved');
  return (
    <Stack gap={1}>
      <Text size="xs" tone="soft">
        {isApproved ? (
          <Row as="span" isTight gap={1}>
            <StatusMark status="confirmed" size={14} /> {t('documents.approved')}
          </Row>
        ) : (
          t('documents.percent', { percent: percentOf(shares.confirmed, shares.total) / 100 })
        )}
      </Text>
      <span className="status-bar" aria-hidden>
        {(['confirmed', 'flagged', 'critical'] as const).map(
          (part) =>
            shares[part] > 0 && (
              <i
                key={part}
                data-status={part}
                style={{ inlineSize: `${(100 * shares[part]) / shares.total}%` }}
              />
            ),
        )}
      </span>
      {shares.critical > 0 && (
        <span className="visually-hidden">{t('documents.critical_count', { count: shares.critical })}</span>
      )}
    </Stack>
  );
}

/** A drawing of a page: lines of text, or the grid of a sheet; with the format as a badge. */
function Thumbnail({ format }: { format: LayoutKind }) {
  return (
    <span className={styles.thumbnail} translate="no">
      <svg aria-hidden="true" viewBox="0 0 44 56" width="44" height="56" fill="none">
        {layoutKinds[format].places === 'sheet' ? (
          <path
            d="M7.5 8.5h30M7.5 17.5h30M7.5 26.5h30M7.5 35.5h30M7.5 44.5h30M7.5 8.5v36M17.5 8.5v36M27.5 8.5v36M37.5 8.5v36"
            stroke="var(--line-2)"
          />
        ) : (
          <>
            <path d="M7 9h18" stroke="var(--ink-3)" strokeWidth="2.5" />
            <path d="M7 16h30M7 22h30M7 28h24M7 34h30M7 40h14" stroke="var(--line-2)" strokeWidth="2" />
          </>
        )}
      </svg>
      <span className={`format ${styles.format}`} data-format={format}>
        {format}
      </span>
    </span>
  );
}
