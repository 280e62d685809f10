import { fromOperation } from "../../app/command.ts"
import { closeDiscussion, listDiscussions, openDiscussion, showDiscussion, speak } from "../operations/discussions.ts"
import { discussionLine, renderDiscussion, renderDiscussions } from "../views/knowledge-view.ts"

export const discussOpen = fromOperation(openDiscussion, {
  positional: ["topic"],
  example: 'teamwork discuss open "REST or GraphQL" --by w1',
  text: discussionLine,
})

export const discussSay = fromOperation(speak, {
  positional: ["number", "text"],
  example: 'teamwork discuss say 1 "REST: nobody here knows GraphQL" --by w2',
  text: discussionLine,
})

export const discussClose = fromOperation(closeDiscussion, {
  positional: ["number"],
  example: 'teamwork discuss close 1 --outcome consensus_reached --conclusion "REST"',
  text: discussionLine,
})

export const discussList = fromOperation(listDiscussions, { text: renderDiscussions })
export const discussShow = fromOperation(showDiscussion, {
  positional: ["number"],
  example: "teamwork discuss show 1",
  text: renderDiscussion,
})
