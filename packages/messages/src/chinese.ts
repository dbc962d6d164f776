import { type Texts, textsOf } from './phrases.ts'

/** Chinese, in simplified characters. */
export const CHINESE: Texts = /* @__PURE__ */ textsOf({
  cannot: '根据现有文档，我无法回答这个问题。',
  notConfirmed: '我无法给出现有文档能够证实的答案。',
  stop: '。',
  sentences: {
    nothingFound: '在文档中没有找到相关信息',
    unjudged: '无法判断文档是否支持回答',
    tooLong: '找到的段落太长，无法读取',
    ruledOut: '本服务的规则不允许回答',
    unreadable: '这个问题中可读的内容太少',
    tooShort: '问题太短，无法判断',
    weak: '找到的信息与问题不够相关',
    few: '依据不足',
    unclear: '找到的段落中没有明显最合适的一个',
    unsupported: '答案中有文档没有说明的内容',
    uncheckable: '答案中没有可以核实的内容',
    incomplete: '答案不完整',
    noPassage: '没有任何一个段落足以支持答案',
    limited: '依据有限，建议核实',
    unusable: '仅供参考，请勿使用',
    offTerms: '段落中很少出现问题中的词语',
    partial: '答案缺少部分可选内容',
    unchecked: '检查已关闭，未作任何核实',
    cut: '并非所有依据都能放入上下文',
  },
  suggestions: {
    rephrase: '用文档中的词语重新提问',
    narrow: '一次只问一件事',
    specify: '说明所问的产品、版本、人物或地点',
    addDocuments: '添加有关这一主题的文档',
    tryLater: '请稍后再试',
    verify: '对照所列来源核实答案',
    inLetters: '用普通文字、数字和标点书写问题',
    inSentence: '用一句话提问，并说明想了解什么',
  },
})
