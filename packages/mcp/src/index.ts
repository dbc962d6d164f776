export {
  type AgentTools,
  type AgentToolsOptions,
  type Caller,
  createAgentTools,
  type ToolErrorCode,
  type ToolResult,
} from './agent-tools.ts'
export { mcpEndpoint, TOOL_STATUS, toolEndpoint, type ToolsFor } from './endpoints.ts'
export { TOOLS, type ToolDescription } from './tool-descriptions.ts'
