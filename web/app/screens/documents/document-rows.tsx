import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { FileView } from '#sdk/file-types.ts';
import { layoutKinds } from '#server/formats/layout-kinds.ts';
import { useT } from '../../i18n.tsx';
import { reviewerName } from '../../parts/claimed-name.ts';
import { fileFailureText } from '../../parts/file-failure.ts';
import { useFormat } from '../../parts/format.ts';
import { TranslateAgain } from '../../parts/translate-again.tsx';
import { useMe } from '../../session/use-me.ts';
import { Age } from './age.tsx';
import { DownloadButton } from './download-files.tsx';
import styles from './files.module.css';
import { type FileGroup, isTranslated } from './files.ts';
import { LanguageChips } from './language-chips.tsx';
import type { Progress } from './search.ts';
import { SegmentShares } from './segment-shares.tsx';
import { SelectionBar } from './selection-bar.tsx';
import { Thumbnail } from './thumbnail.tsx';
import { useProgress } from './use-progress.ts';

/** Files as a table. Files can be selected, and approved, downloaded or deleted together. */
export function DocumentRows({ groups }: { groups: readonly FileGroup[] }) {
  const t = useT();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const progress = useProgress(groups.flatMap(({ translations }) => translations));
  const isChosen = ({ translations }: FileGroup) => translations.every(({ id }) => chosen.has(id));
  const choose = (of: readonly FileGroup[], isSelected: boolean) =>
    setChosen((before) => {
      const ids = of.flatMap(({ translations }) => translations.map(({ id }) => id));
      return new Set(isSelected ? [...before, ...ids] : [...before].filter((id) => !ids.includes(id)));
    });
  const selected = groups.filter(isChosen);
  return (
    <>
      <table className={styles.table}>
        <thead>
          <tr>
            <th className={styles.choose}>
              <input
                type="checkbox"
                aria-label={t('documents.choose_all')}
                checked={selected.length === groups.length}
                onChange={({ target }) => choose(groups, target.checked)}
              />
            </th>
            <th>{t('documents.file')}</th>
            <th>{t('documents.into')}</th>
            <th className={styles.shares}>{t('documents.confirmed_share')}</th>
            <th>{t('documents.changed')}</th>
            <th>{t('documents.changed_by')}</th>
            <th>
              <span className="visually-hidden">{t('documents.download')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {groups.map((group) => (
            <FileRow
              key={group.id}
              group={group}
              progress={progress}
              isChosen={isChosen(group)}
              onChoose={(isSelected) => choose([group], isSelected)}
            />
          ))}
        </tbody>
      </table>
      <SelectionBar groups={selected} onDone={() => setChosen(new Set())} />
    </>
  );
}

function FileRow({
  group,
  progress,
  isChosen,
  onChoose,
}: {
  group: FileGroup;
  progress: ReadonlyMap<string, Progress>;
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
}) {
  const t = useT();
  const { name, format, translations } = group;
  const [latest] = translations;
  const failed = translations.find((one) => one.failure !== null);
  return (
    <tr data-chosen={isChosen || undefined}>
      <td className={styles.choose}>
        <input
          type="checkbox"
          aria-label={t('documents.choose', { name })}
          checked={isChosen}
          onChange={({ target }) => onChoose(target.checked)}
        />
      </td>
      <td>
        <div className={styles.file}>
          <Thumbnail format={format} />
          <span>
            <Link
              to="/app/edit/documents/$documentId"
              params={{ documentId: latest.id }}
              className={styles.name}
            >
              <bdi translate="no">{name}</bdi>
            </Link>
            <Size group={group} />
            {failed?.failure && (
              <>
                <bdi className={styles.error} title={failed.failure.message}>
                  {fileFailureText(failed.failure, t)}
                </bdi>
                {failed.status === 'failed' && <TranslateAgain id={failed.id} code={failed.failure.code} />}
              </>
            )}
          </span>
        </div>
      </td>
      <td className={styles.into}>
        <LanguageChips translations={translations} progress={progress} />
      </td>
      <td className={styles.shares}>
        <SegmentShares translations={translations} />
      </td>
      <td className={styles.changed}>
        <Age at={latest.updated_at} />
      </td>
      <td className={styles.by}>
        <ChangedBy file={latest} />
      </td>
      <td className={styles.act}>
        {translations.some(isTranslated) && <DownloadButton files={translations} name={name} />}
      </td>
    </tr>
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
  return <small>{parts.join(' · ')}</small>;
}

function ChangedBy({ file: { changed_by: by, changed_by_claimed: isClaimed } }: { file: FileView }) {
  const t = useT();
  const me = useMe();
  if (by === null) return null;
  if (!isClaimed && by === me.data?.user.email) return t('documents.you');
  return <bdi translate="no">{reviewerName(by, isClaimed ? { name: null } : null, t)}</bdi>;
}
