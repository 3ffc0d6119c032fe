import { type LayoutKind, layoutKinds } from '#server/formats/layout-kinds.ts';
import styles from './files.module.css';

/** A drawing of a page: lines of text, or the grid of a sheet; with the format as a badge. */
export function Thumbnail({ format }: { format: LayoutKind }) {
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
      <span className={styles.format} data-format={format}>
        {format}
      </span>
    </span>
  );
}
