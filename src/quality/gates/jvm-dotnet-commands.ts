import type { Detected, FolderFiles } from "./detect-commands.ts"

/** A wrapper in the repository knows the right version. Through `sh`, since its executable bit is often lost. */
export async function detectJava(files: FolderFiles): Promise<Detected> {
  const java = [{ name: "java", folders: [] }]
  if (files.has("pom.xml")) {
    const isWrapped = files.has("mvnw")
    const maven = [...(isWrapped ? ["sh", "./mvnw"] : ["mvn"]), "--batch-mode"]
    const facts = { from: "pom.xml", ...(isWrapped ? { needs: java } : {}) }
    return {
      build: [{ command: [...maven, "-DskipTests", "package"], ...facts }],
      test: [{ command: [...maven, "test"], ...facts }],
    }
  }
  const from = files.find(/^build\.gradle(\.kts)?$/)
  if (from === undefined) return {}
  const isWrapped = files.has("gradlew")
  const gradle = isWrapped ? ["sh", "./gradlew"] : ["gradle"]
  const facts = { from, ...(isWrapped ? { needs: java } : {}) }
  return {
    build: [{ command: [...gradle, "assemble"], ...facts }],
    test: [{ command: [...gradle, "test"], ...facts }],
  }
}

/** A folder with several solutions or projects needs one of them named; a solution holds the projects. */
export async function detectDotnet(files: FolderFiles): Promise<Detected> {
  const solution = files.find(/\.slnx?$/)
  const from = solution ?? files.find(/\.(?:cs|fs|vb)proj$/)
  if (from === undefined) return {}
  return {
    build: [{ command: ["dotnet", "build", from], from }],
    test: [{ command: ["dotnet", "test", from], from }],
  }
}
