/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --junit: verdicts as JUnit XML, of the form that Jenkins and GitLab read
 * (https://github.com/testmoapp/junitxml). The file is written at the end; until then it
 * is as it was, or new and empty.
 */
#ifndef READ_JUNIT_H
#define READ_JUNIT_H

enum junit_result {
	JUNIT_PASSED,
	JUNIT_FAILED,
	JUNIT_ERROR,   /* it could not be judged */
	JUNIT_SKIPPED, /* it was not to be judged */
};

/* Opens the file, which finds out whether it can be written. 0, or the exit status after having said why not. */
int junit_open(const char *path);

/* Adds a testcase, if a file is open. @text: why it has not passed; it can hold any bytes. */
void junit_case(const char *class, const char *name, enum junit_result result, const char *text);

/*
 * Writes the file; what the exit @status says beside the verdicts becomes a testcase too. Return: the
 * exit status, which is another one if the file cannot be written. Without an open file, nothing.
 */
int junit_close(int status);

#endif
