// Keys, the time that is left, and what is over. Everything else is htmx; nothing here is needed to answer.
'use strict'
;(() => {
  const cards = () => [...document.querySelectorAll('#questions .card:not(.over)')]
  const here = () => document.activeElement?.closest?.('#questions .card')
  const el = (id) => document.getElementById(id)

  // Times in the reader's own zone.
  const local = (root) =>
    root.querySelectorAll('time:not([title])').forEach((t) => {
      const at = new Date(t.dateTime)
      if (isNaN(at)) return
      t.title = t.textContent
      t.textContent = at.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'medium' })
    })

  // Counted from when the page got it: the two clocks need not agree.
  const span = (s) =>
    s >= 3600 ? `${Math.floor(s / 3600)} h ${String(Math.floor(s / 60) % 60).padStart(2, '0')} min`
    : s >= 60 ? `${Math.floor(s / 60)} min ${String(s % 60).padStart(2, '0')} s` : `${s} s`
  const tick = () => {
    document.querySelectorAll('[data-left]').forEach((e) => {
      e.ends ??= performance.now() + Number(e.dataset.left)
      const left = Math.max(0, Math.floor((e.ends - performance.now()) / 1000))
      e.textContent = span(left)
      e.classList.toggle('soon', left < 15)
    })
    // What is over goes after a while, but never from under a pointer that moves, and not while it is marked.
    const rests = !el('questions')?.matches(':hover') || performance.now() - pointed > 4000
    document.querySelectorAll('.card.over').forEach((e) => {
      e.since ??= performance.now()
      if (performance.now() - e.since > 6000 && rests && e !== here()) {
        e.remove()
        moved = performance.now()
      }
    })
    const n = Number(el('waiting')?.dataset.waiting ?? 0)
    document.title = document.title.replace(/^(\(\d+\) )?/, n ? `(${n}) ` : '')
  }

  // Nothing slides under a finger: what is over keeps its height as long as it is there, and right after something moved
  // a click is none.
  let moved = -1000
  let height = 0
  let pointed = -1000
  document.addEventListener('pointermove', () => (pointed = performance.now()), { passive: true })
  document.addEventListener('htmx:oobBeforeSwap', (e) => (height = e.detail.target?.offsetHeight ?? 0))
  document.addEventListener('htmx:oobAfterSwap', (e) => {
    const card = e.detail.target?.id && el(e.detail.target.id)
    if (card?.matches('.card.over') && !card.style.minHeight) card.style.minHeight = `${height}px`
    if (e.detail.target?.id === 'overrides') moved = performance.now()
  })
  document.addEventListener('click', (e) => {
    if (e.target.closest('.answers') && e.detail && performance.now() - moved < 400) e.preventDefault()
  }, true)

  const mark = (card) => {
    card?.focus({ preventScroll: true })
    card?.scrollIntoView({ block: 'nearest' })
  }
  const step = (by) => {
    const all = [...document.querySelectorAll('#questions .card')]
    const at = all.indexOf(here())
    mark(at < 0 ? cards()[0] : all[Math.min(all.length - 1, Math.max(0, at + by))])
  }
  const keys = {
    j: () => step(1),
    k: () => step(-1),
    // Only ever the one that is marked: with none marked, the first press marks one.
    a: () => (here() ? here().querySelector('form.once')?.requestSubmit() : step(1)),
    A: () => {
      if (!here()) return step(1)
      const more = here().querySelector('details.always')
      if (more) more.open = true
      more?.querySelector('input[type=radio]:checked')?.focus()
    },
    d: () => (here() ? here().querySelector('input[name=reason]')?.focus() : step(1)),
    '?': () => {
      el('keys').open = !el('keys').open
      el('keys').scrollIntoView({ block: 'nearest' })
    },
  }
  document.addEventListener('keydown', (e) => {
    if (e.key === 'Escape' && here()) return mark(here())
    const typing = e.target.closest('input:not([type=radio]), textarea, select')
    if (e.ctrlKey || e.altKey || e.metaKey || e.repeat || typing || !el('questions') || !keys[e.key]) return
    e.preventDefault()
    keys[e.key]()
  })

  // An answered card takes the place of the one that had the focus.
  let last
  document.addEventListener('focusin', () => (last = here()?.id ?? (document.activeElement === document.body ? last : undefined)))
  const refocus = () => {
    tick()
    local(document)
    if (last && document.activeElement === document.body) mark(el(last))
  }
  for (const name of ['htmx:afterSwap', 'htmx:oobAfterSwap', 'htmx:sseMessage']) document.addEventListener(name, refocus)

  const live = (on, text) => {
    if (!el('live')) return
    el('live').dataset.live = on
    el('live').textContent = text
  }
  document.addEventListener('htmx:sseOpen', () => live('yes', 'Live'))
  document.addEventListener('htmx:sseError', () => live('no', 'Not connected: what is shown may be old'))
  // The session ended: the page says how to get in.
  document.addEventListener('htmx:responseError', (e) => e.detail.xhr.status === 403 && location.reload())
  document.addEventListener('htmx:sendError', () => live('no', 'The answer was not sent: the approver cannot be reached'))

  live('no', 'Connecting…')
  local(document)
  tick()
  setInterval(tick, 1000)
})()
