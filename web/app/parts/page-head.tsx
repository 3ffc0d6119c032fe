import type { ReactNode } from 'react';
import style from './page-head.module.css';

/**
 * The bar at the top of a screen, across the whole width: the heading, and controls that apply to the whole screen.
 * @param before shown before the heading, such as a link to the list
 * @param aside shown directly after the heading
 * @param children the actions at the end of the bar
 */
export function PageHead({
  before,
  title,
  aside,
  children,
}: {
  before?: ReactNode;
  title: ReactNode;
  aside?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <header className={style['head']}>
      {before}
      <h1 tabIndex={-1}>{title}</h1>
      {aside}
      {children && <div className={style['acts']}>{children}</div>}
    </header>
  );
}
