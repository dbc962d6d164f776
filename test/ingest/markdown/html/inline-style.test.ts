import { describe, expect, it } from 'vitest'
import { readInlineStyle } from '../../../../packages/ingest/src/markdown/html/inline-style.ts'

const SHOWN = {
  removed: false,
  displayed: false,
  apart: false,
  visibility: undefined,
  fontSize: undefined,
  transparent: undefined,
}

describe('readInlineStyle', () => {
  it.each([
    ['overflow: hidden hidden; height: 0'],
    ['overflow: clip; width: 1px'],
    ['overflow-y: hidden; height: 0'],
    ['overflow: clip hidden; max-width: 0'],
    ['overflow:hidden;width:1px;height:1px;margin:-1px;padding:0'],
    ['clip-path: inset(0 100% 0 0)'],
    ['clip-path: inset( 0 0 100% )'],
    ['clip-path: inset(60% 0px 40%)'],
    ['-webkit-clip-path: inset(50% 50%)'],
    ['clip-path: ellipse( 0px )'],
    ['clip-path: circle(0% at 0 0)'],
    ['position: fixed; clip: rect(0 , 0 , 1px , 0)'],
    ['position: absolute; clip: rect(0px 9px 9px 9px)'],
    ['position: absolute; left: -5000px'],
    ['position: absolute; inset: -99in'],
    ['position: absolute; top: -6000px; height: 1000px'],
    ['position: absolute; inset: 0 9999px 0 auto'],
    ['opacity: -1'],
    ['opacity: calc(1); opacity: 0'],
    ['display: none; display: inline table-cell'],
    ['position: absolute; clip: rect(0, auto, 0, 0)'],
    ['position: absolute; clip: rect(5px, 9px, 6px, 0)'],
    ['position: absolute; clip: rect(0, 6px, 9px, 5px)'],
    ['position: absolute; position: xstatic; left: -9999px'],
    ['position: absolute; position: staticx; left: -9999px'],
    ['overflow: hidden; height: 0; height: autox'],
    ['overflow: hidden; height: 0; height: xauto'],
    ['overflow-x: hidden; width: 0'],
    ['overflow: hidden; height: 0; scroll-padding: 9px'],
    ['clip-path: inset(0 60% 0 40%)'],
    ['opacity: 0; text-transform: uppercase'],
    ['display: none; color'],
  ])('removes what no browser shows: %s', (style) => {
    expect(readInlineStyle(style)).toMatchObject({ removed: true })
  })

  it.each([
    ['overflow: visible; height: 0'],
    ['overflow: auto; height: 0'],
    ['overflow: hidden; height: 2px'],
    ['overflow: hidden; height: -1px'],
    ['overflow: hidden; height: min-content'],
    ['overflow: hidden; width: auto; max-height: none'],
    // Room for a picture by its proportion: text is shown there.
    ['position: relative; height: 0; padding-bottom: 56.25%; overflow: hidden'],
    ['height: 0; min-height: 100px; overflow: hidden'],
    // A click shows it.
    ['max-height: 0; overflow: hidden; transition: max-height .2s'],
    ['clip-path: inset(49% 0 50%)'],
    ['clip-path: inset(60px)'],
    ['clip-path: inset(50% round 5px)x'],
    ['clip-path: circle(0.5%)'],
    ['clip-path: xcircle(0)'],
    ['clip: rect(0, 0, 0, 0)'],
    ['position: absolute; clip: rect(0, auto, auto, 0)'],
    ['position: absolute; clip: xrect(0, 0, 0, 0)'],
    ['position: absolute; clip: rect(0, 0, 0, 0)x'],
    ['position: absolute; left: -9999px; left: auto'],
    ['overflow: clip visible; height: 0'],
    ['overflow: visible clip; width: 0'],
    ['clip-path: inset(990px)'],
    ['clip-path: inset(60%)x'],
    ['clip-path: xinset(60%)'],
    ['position: absolute; clip: rect(0, 2px, 2px, 0)'],
    ['position: absolute; clip: auto'],
    ['position: absolute; left: -4999px'],
    ['position: absolute; left: -9999px; left: 0'],
    ['position: absolute; right: 9998px'],
    ['position: absolute; top: -5000px; height: 1px'],
    ['position: static; top: -9999px'],
    ['position: sticky; left: -9999px'],
    ['position: absolute; position: relative; left: -9999px'],
    ['position: absolute; left: x-9999px'],
    ['position: absolute; left: -9999px x'],
    ['opacity: 1%'],
    ['opacity: none'],
    ['opacity: 0; -webkit-animation: x'],
    ['opacity: 0; will-change: opacity'],
    ['content-visibility: auto'],
  ])('keeps what may be seen: %s', (style) => {
    expect(readInlineStyle(style)).toMatchObject({ removed: false })
  })

  it.each([
    ['', {}],
    ['display: none', { removed: true }],
    ['display: block', { displayed: true, apart: true }],
    ['display: inline', { displayed: true }],
    ['display: inline-block', { displayed: true }],
    ['display: inline \n flow-root', { displayed: true }],
    ['display: block ruby', { displayed: true, apart: true }],
    ['display: table-row-group', { displayed: true, apart: true }],
    ['display: flow-root', { displayed: true, apart: true }],
    ['display: grid', { displayed: true, apart: true }],
    ['display: -webkit-inline-box', { displayed: true }],
    ['display: ruby-text-container', { displayed: true }],
    ['display: list-item', { displayed: true, apart: true }],
    ['display: contents', { displayed: true }],
    ['display: var(--x)', { displayed: true }],
    ['display: initial', { displayed: true }],
    ['display: inherit', { displayed: true }],
    ['display: revert', {}],
    ['display: revert-layer', {}],
    ['display: xblock', {}],
    ['display: blockx', {}],
    ['display: table-', {}],
  ])('reads whether an element is displayed: %s', (style, read) => {
    expect(readInlineStyle(style)).toEqual({ ...SHOWN, ...read })
  })

  it.each([
    ['visible', 'visible'],
    ['hidden', 'hidden'],
    ['collapse', 'hidden'],
    ['initial', 'visible'],
    ['var(--x)', 'visible'],
    ['inherit', undefined],
    ['unset', undefined],
    ['revert', undefined],
    ['revert-layer', undefined],
    ['none', undefined],
    ['hiddenx', undefined],
  ])('reads visibility: %s', (value, visibility) => {
    expect(readInlineStyle(`visibility: ${value}`)).toEqual({ ...SHOWN, visibility })
  })

  it.each([
    ['0', 0],
    ['.5px', 0.5],
    ['+3.PT', 4],
    ['1e-1px', 0.1],
    ['1E+1px', 10],
    ['1pc', 16],
    ['1in', 96],
    ['1cm', 37.8],
    ['1mm', 3.78],
    ['1q', 0.945],
    ['2rem', 32],
    ['1vw', 15],
    ['1vh', 10],
    ['0lh', 0],
    ['0rcap', 0],
    ['0dvh', 0],
    ['0svmin', 0],
    ['0cqi', 0],
    ['medium', 16],
    ['xx-small', 16],
    ['initial', 16],
    ['calc(1px)', 16],
    ['clamp(1px,2px,3px)', 16],
  ])('reads a size in pixels: %s', (value, pixels) => {
    expect(readInlineStyle(`font-size: ${value}`)).toEqual({ ...SHOWN, fontSize: { pixels } })
  })

  it.each([
    ['50%', 0.5],
    ['2em', 2],
    ['1ex', 0.5],
    ['1ch', 0.5],
    ['smaller', 0.8],
    ['larger', 1.2],
  ])('reads a size relative to the one around: %s', (value, times) => {
    expect(readInlineStyle(`font-size: ${value}`)).toEqual({ ...SHOWN, fontSize: { times } })
  })

  it.each([
    'inherit',
    'unset',
    'revert',
    'revert-layer',
    '-1px',
    '1x',
    'x1px',
    '1px x',
    'smallx',
    'xsmall',
    '.',
    'e1px',
  ])('has the size around for %s', (value) => {
    expect(readInlineStyle(`font-size: ${value}`)).toEqual(SHOWN)
  })

  it.each([
    ['12px serif', { pixels: 12 }],
    ['0 serif', { pixels: 0 }],
    ['italic 700 .1px/1.5 serif', { pixels: 0.1 }],
    ['bold 0.0/2 "A B"', { pixels: 0 }],
    ['1.5em / 2 serif', { times: 1.5 }],
    ['900 50%/0 a', { times: 0.5 }],
    ['caption', { pixels: 16 }],
    ['small serif', { pixels: 16 }],
    ['calc(0px) serif', { pixels: 16 }],
    ['inherit', undefined],
    ['0', undefined],
    ['12px', undefined],
    ['12px/1', undefined],
    ['700 serif', undefined],
  ])('reads the size of a font: %s', (font, fontSize) => {
    expect(readInlineStyle(`font: ${font}`)).toEqual({ ...SHOWN, fontSize })
  })

  it.each([
    ['color: transparent', true],
    ['color: #1230', true],
    ['color: #12345600', true],
    ['color: #x1230', false],
    ['color: #12300', false],
    ['color: #1230x', false],
    ['color: x#1230', false],
    ['color: x rgb(1 2 3/0)', false],
    ['color: rgb(1 2 3/0) x', false],
    ['color: rgb(1 2 3 / 0.00)', true],
    ['color: rgba(1, 2, 3, 0)', true],
    ['color: hsl(1 2% 3% / 0%)', true],
    ['color: rgb(1 2 3/.0)', true],
    ['color: oklch(1 2 3 / 0)', true],
    ['color: color(srgb 1 1 1 / 0.0)', true],
    ['color: hwb(1 2% 3% / 00)', true],
    ['color: rgb(1, 2, 0)', false],
    ['color: rgb(1 2 3 / .1)', false],
    ['color: rgb(1 2 3 / 10)', false],
    ['color: red', false],
    ['color: initial', false],
    ['color: inherit', undefined],
    ['color: unset', undefined],
    ['color: revert', undefined],
    ['color: currentColor', undefined],
    ['color: red; -webkit-text-fill-color: transparent', true],
    ['color: transparent; -webkit-text-fill-color: red', false],
    ['color: transparent; text-shadow: 0 0 red', false],
    ['color: transparent; -webkit-text-stroke: 1px', false],
    ['color: transparent; -webkit-background-clip: text', false],
  ])('reads whether text has no colour: %s', (style, transparent) => {
    expect(readInlineStyle(style)).toEqual({ ...SHOWN, transparent })
  })

  it.each([
    ['DISPLAY : None', true],
    ['display:none ! important;display:block', true],
    ['display:none!important;display:block!important', false],
    ['display:none!important', true],
    ['display:none !importantx', false],
    ['display:block;display:none', true],
    ['display:none;display:', true],
    ['display:none;:block', true],
    ['display:none;display:constructor', true],
    ['constructor:x;display:none', true],
    ['a:(;);display:none', true],
    ['a:[;display:none', false],
    ['a:{;};display:none', true],
    ['a:);display:none', true],
    ['a:{;display:none', false],
    ['a:(b;display:none', false],
    ['a:[b];display:none', true],
    ['a:{b};display:none', true],
    ['a:display:none', false],
    ['display:none/*/;display:block', true],
    ['a:([);display:none', false],
    ['a(:)b:c;display:none', true],
    ['display:none;a:b:c', true],
    ['a:";\n;display:none', true],
    [String.raw`a:"\";";display:none`, true],
    [`a:"';";display:none`, true],
    [`a:"b`, false],
    [`a:';display:none`, false],
    ['/* ; */display/**/:/**/none/**/', true],
    ['display:none/', false],
    ['/display:none', false],
    ['a:/;display:none', true],
    [String.raw`\64isplay:none`, true],
    [String.raw`\000064isplay:none`, true],
    [String.raw`\0000064isplay:none`, false],
    ['\\64\r\nisplay:none', true],
    ['\\64 isplay:none', true],
    ['\\64  isplay:none', false],
    [String.raw`\d isplay:none`, false],
    [String.raw`disp\l\ay:none`, false],
    [String.raw`disp\lay:none`, true],
    [String.raw`display:none;a:\0\110000\d800\10ffff`, true],
    ['display:none;a:\\', true],
    ['display:\tnone\f', true],
  ])('reads declarations like a browser: %j', (style, removed) => {
    expect(readInlineStyle(style).removed).toBe(removed)
  })
})
