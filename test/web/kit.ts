import type { Locator } from 'playwright-core';

/** Selects an option of a select of the kit. @param scope what holds the select; the list opens over the page */
export async function choose(scope: Locator, label: string, option: string): Promise<void> {
  await scope.getByRole('button', { name: new RegExp(`${label}$`) }).click();
  await scope.page().getByRole('option', { name: option, exact: true }).click();
}

/** Opens a menu of the kit and takes a command. */
export async function command(scope: Locator, menu: string, name: string): Promise<void> {
  await scope.getByRole('button', { name: menu }).click();
  await scope.page().getByRole('menuitem', { name, exact: true }).click();
}

/** Types into a field of the kit for a day. @param keys the month, the day and the year, as far as they are typed */
export async function typeDay(scope: Locator, label: string, keys: string): Promise<void> {
  await dayField(scope, label).getByRole('spinbutton').first().focus();
  await scope.page().keyboard.type(keys);
}

/** A field of the kit for a day, whose text is as the language writes dates. */
export function dayField(scope: Locator, label: string): Locator {
  return scope.getByRole('group', { name: label });
}
