import { useT } from '../i18n.tsx';
import { maxTextLength } from '../parts/searched-text.ts';
import styles from './replace.module.css';

/** The text to replace, its replacement, and the segments in which it is replaced. */
export interface Wanted {
  sought: string;
  replacement: string;
  matchesCase: boolean;
  wholeWords: boolean;
  /** Whether only segments that match the present filter are searched. */
  inFilter: boolean;
  /** Whether confirmed segments are changed, too. */
  withConfirmed: boolean;
}

/** Maximum UTF-16 units of the text that replaces another one. */
const maxReplacement = 1000;

const texts = [
  ['sought', 'editor.find_in_translations', maxTextLength],
  ['replacement', 'editor.replace_with', maxReplacement],
] as const;

const options = [
  ['matchesCase', 'editor.match_case'],
  ['wholeWords', 'editor.whole_words'],
  ['inFilter', 'editor.replace_in_filter'],
  ['withConfirmed', 'editor.replace_confirmed'],
] as const;

/** The fields of a replacement. @param isFiltered whether the editor shows only a part of the segments */
export function ReplaceFields({
  wanted,
  isFiltered,
  onChange,
}: {
  wanted: Wanted;
  isFiltered: boolean;
  onChange: (wanted: Wanted) => void;
}) {
  const t = useT();
  return (
    <>
      <div className={styles['fields']}>
        {texts.map(([name, label, maxLength]) => (
          <label key={name}>
            {t(label)}
            <input
              name={name}
              maxLength={maxLength}
              autoComplete="off"
              value={wanted[name]}
              onChange={({ target }) => onChange({ ...wanted, [name]: target.value })}
            />
          </label>
        ))}
      </div>
      <div className={styles['options']}>
        {options
          .filter(([name]) => name !== 'inFilter' || isFiltered)
          .map(([name, label]) => (
            <label key={name} className="check">
              <input
                type="checkbox"
                checked={wanted[name]}
                onChange={({ target }) => onChange({ ...wanted, [name]: target.checked })}
              />
              {t(label)}
            </label>
          ))}
      </div>
    </>
  );
}
