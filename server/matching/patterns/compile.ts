import { RE2JS, RE2Set } from 're2js';
import { PatternError, type PatternOptions, requireSmall } from './index.ts';

/*
 * The only place that compiles patterns of workspaces. Only threads and child processes that have a deadline may import
 * it (`test/architecture/patterns.test.ts`), because neither compiling nor the first match can be interrupted.
 */

export type Pattern = RE2JS;

/** The patterns that this thread compiled last. Each can have 8 MB of states. */
const compiled = new Map<string, Pattern>();
const maxCompiled = 24;

interface CompileOptions extends PatternOptions {
  /** The pattern was stored before patterns had a limit: only the deadline of the thread ends it. */
  isOld?: boolean;
}

/**
 * Compiles a pattern, or returns it from the cache of this thread. RE2 has no backreferences and lookarounds, so a match takes
 * time in proportion to the text and to the weight of the pattern.
 * @param what names the pattern in the error
 * @throws {PatternError} if it is too large or invalid
 */
export function compilePattern(
  pattern: string,
  what: string,
  { ignoreCase = false, isOld = false }: CompileOptions = {},
): Pattern {
  const key = `${ignoreCase} ${pattern}`;
  const known = compiled.get(key);
  if (known) {
    compiled.delete(key);
    compiled.set(key, known);
    return known;
  }
  if (!isOld) requireSmall([pattern], what, { ignoreCase });
  const made = parsed(pattern, what, ignoreCase);
  compiled.set(key, made);
  const [oldest] = compiled.keys();
  if (compiled.size > maxCompiled) compiled.delete(oldest!);
  return made;
}

function parsed(pattern: string, what: string, ignoreCase: boolean): Pattern {
  try {
    return RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  } catch (error) {
    if (/\(\?<?[=!]/.test(pattern))
      throw new PatternError(`${what}: conditions such as (?=…) and (?<=…) are not supported`);
    const reason = (error as Error).message.replace('error parsing regexp: ', '').slice(0, 200);
    throw new PatternError(`${what}: ${reason}`);
  }
}

/**
 * Compiles patterns into one state machine.
 * @param patterns valid ones, which were weighed
 * @param bytes limits the memory of its states
 */
export function compileSet(patterns: readonly string[], bytes: number): RE2Set {
  const set = new RE2Set(RE2Set.UNANCHORED, 0, bytes);
  for (const pattern of patterns) set.add(pattern);
  set.compile();
  return set;
}
