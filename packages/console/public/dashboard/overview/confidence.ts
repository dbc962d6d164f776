/** Decisions by confidence, and the results of another threshold. */
import { linkTo, toDecisions } from '../address.ts'
import type { Policies, Stats } from '../answers.ts'
import { histogram, legend, type Thresholds, VERDICTS } from '../charts.ts'
import { card, details, el, figures, number, percent, table } from '../dom.ts'

/** The histogram, with a movable threshold that shows what it would have refused. */
export function confidence(
  { confidence_histogram: bins, by_policy: used }: Stats,
  policies: Policies['policies'],
): HTMLElement {
  const total = bins.reduce((sum, { pass, advise, refuse }) => sum + pass + advise + refuse, 0)
  const policy = policies.find(({ id }) => id === used[0]?.name)?.policy
  const { refuseBelow, adviseBelow } = policy?.gates?.find(({ gate }) => gate === 'confidence-range') ?? {}
  const lines = (tried?: number): Thresholds => ({ refuse: refuseBelow, advise: adviseBelow, tried })
  const chart = histogram({
    bins,
    thresholds: lines(),
    label: `Decisions by confidence. ${bins
      .map(({ pass, advise, refuse }, at) => ({ count: pass + advise + refuse, at }))
      .filter(({ count }) => count > 0)
      .map(({ count, at }) => `From ${(at / 20).toFixed(2)}: ${count}`)
      .join(', ')}.`,
    linkOf: (at) => linkTo('decisions', rangeOf(at)),
  })
  const start = Math.round((refuseBelow ?? 0.5) * 20)
  const outcome = el('output', { id: 'counterfactual', htmlFor: 'try' })
  const refusedNow = bins.reduce((sum, { refuse }) => sum + refuse, 0)
  // Refusals at or above the policy's own threshold have another reason, and remain.
  const refusedUnder = (threshold: number): number =>
    bins.reduce((sum, { pass, advise, refuse }, at) => {
      if (at / 20 < threshold) return sum + pass + advise + refuse
      return at / 20 < (refuseBelow ?? 0) ? sum : sum + refuse
    }, 0)
  const tell = (step: number): void => {
    const refused = refusedUnder(step / 20)
    slider.ariaValueText = (step / 20).toFixed(2)
    // Below it the bars include refusals for all reasons; those for others would remain.
    const isLeast = refuseBelow !== undefined && step / 20 < refuseBelow
    outcome.textContent = `Refusing below ${(step / 20).toFixed(2)} would refuse ${isLeast ? 'at least ' : ''}${percent(refused, total)} (${number(refused)}) instead of ${percent(refusedNow, total)} (${number(refusedNow)}).${isLeast ? ' Refusals for other reasons than confidence would stay.' : ''}`
  }
  const slider = el('input', {
    id: 'try',
    type: 'range',
    min: 0,
    max: 20,
    step: 1,
    defaultValue: start,
    oninput: () => {
      tell(Number(slider.value))
      chart.move(lines(Number(slider.value) / 20))
    },
  })
  tell(start)
  return card(
    'Confidence',
    el('div', { className: 'beside' }, legend()),
    chart.element,
    el('label', { htmlFor: 'try', className: 'small' }, 'Try another threshold'),
    slider,
    outcome,
    details(
      'confidences',
      'Figures of the bars',
      table(
        'Decisions by confidence',
        ['From', ...figures('Pass', 'Advise', 'Refuse')],
        bins.flatMap((bin, at) => {
          const counts = VERDICTS.map((verdict) => toDecisions(bin[verdict], { ...rangeOf(at), verdict }))
          return VERDICTS.every((verdict) => bin[verdict] === 0) ? [] : [[rangeOf(at).min_confidence, ...counts]]
        }),
      ),
    ),
    used.length > 1 &&
      el(
        'p',
        { className: 'quiet' },
        `${used.length} policies decided: choose one to compare confidences of one kind.`,
      ),
  )
}

/** Range of confidences of a bin. */
function rangeOf(bin: number): { readonly min_confidence: string; readonly max_confidence: string } {
  return { min_confidence: (bin / 20).toFixed(2), max_confidence: ((bin + 1) / 20).toFixed(2) }
}
