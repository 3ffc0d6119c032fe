import { useT } from '../../i18n.tsx';
import { type Status, StatusMark } from '../../parts/status-mark.tsx';
import style from './sign-in.module.css';

/** Segments as the editor shows them: the status, the English text, its German translation, and a wrong part of it. */
const segments: readonly [Status, string, string, string?][] = [
  ['confirmed', 'Take two tablets with water.', 'Nehmen Sie zwei Tabletten mit Wasser ein.'],
  ['critical', 'Do not take more than 8.', 'Nehmen Sie nicht mehr als ', '6'],
  ['draft', 'Store below 25 °C.', 'Unter 25 °C aufbewahren.'],
];

/** An example of the product. Wide windows show it next to the sign-in. */
export function Example() {
  const t = useT();
  return (
    <aside className={style['example']}>
      <p className={style['claim']}>{t('signin.claim')}</p>
      <ul aria-hidden="true" translate="no">
        {segments.map(([status, source, target, wrong]) => (
          <li key={source}>
            <StatusMark status={status} />
            <span lang="en" dir="ltr">
              {source}
            </span>
            <span lang="de" dir="ltr">
              {target}
              {wrong && (
                <>
                  <mark>{wrong}</mark>.
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
    </aside>
  );
}
